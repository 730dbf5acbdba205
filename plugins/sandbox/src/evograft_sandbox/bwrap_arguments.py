"""What every use of bubblewrap shows of the host, and the words for its mounts. Public: plugins may import it."""

from __future__ import annotations

from pathlib import Path

PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Programs and libraries of the host: no settings and nobody's data."""
PROCESSORS = "/sys/devices/system/cpu"
"""From where programs know how many cores there are."""


def list_folders_above(inside: str) -> list[str]:
    """Return the folders above a mount, outermost first."""
    return [str(folder) for folder in reversed(Path(inside).parents) if folder != Path("/")]


def make_folders_above(inside: str) -> list[str]:
    """Return the words that make the folders above a mount: bubblewrap would close them to other users."""
    return [word for folder in list_folders_above(inside) for word in ("--perms", "0755", "--dir", folder)]
