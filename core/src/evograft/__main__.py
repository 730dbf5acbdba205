"""`python -m evograft` is `evo`."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's own would be half of what a restart takes
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run `evo`, where all x86-64 CPUs compute the same."""
    try:
        from evograft.cpu_dispatch import restart_portable

        restart_portable()
        # Imported by the process that stays.
        from evograft import cli

        cli.main()
    except KeyboardInterrupt:  # what is imported takes a tenth of a second, and Ctrl-C may come before the command line
        sys.stderr.write("interrupted\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
