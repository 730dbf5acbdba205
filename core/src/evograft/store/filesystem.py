"""Whether a folder lies on a network file system, where SQLite's write-ahead log does not work."""

from __future__ import annotations

from pathlib import Path

NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "fuse.sshfs", "glusterfs"})


def is_network_folder(folder: Path, *, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Look the folder up in the table of mounts; where there is none (not Linux), it counts as local."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    place = folder.resolve()
    kinds = {Path(_unescaped(parts[1])): parts[2] for parts in map(str.split, lines) if len(parts) > 2}  # noqa: PLR2004
    nearest = next((parent for parent in (place, *place.parents) if parent in kinds), None)
    return nearest is not None and kinds[nearest] in NETWORK


def _unescaped(path: str) -> str:
    return path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
