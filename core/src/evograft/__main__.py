"""`python -m evograft` is `evo`."""

from __future__ import annotations

from evograft.cpu_dispatch import restart_portable

TYPE_CHECKING = False  # typing's own would be half of what a restart takes
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run `evo`, where all x86-64 CPUs compute the same."""
    restart_portable()
    # Imported by the process that stays.
    from evograft import cli

    cli.main()


if __name__ == "__main__":
    main()
