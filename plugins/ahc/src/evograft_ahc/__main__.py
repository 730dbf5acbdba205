"""`ahc-agent …` and `python -m evograft_ahc …` are `evo ahc …`."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points


def main() -> None:
    # evo itself is asked for by its published name: how it reports errors is its own business.
    (evo,) = entry_points(group="console_scripts", name="evo")
    sys.argv.insert(1, "ahc")
    evo.load()()


if __name__ == "__main__":
    main()
