"""The key of a project, by which its own places, such as that of its packages, are found again."""

from __future__ import annotations

import hashlib


def compute_project_key(project: str) -> str:
    """Return a project's key, for names of folders and volumes.

    Args:
        project: its path, or the address that it was cloned from.
    """
    return hashlib.sha256(project.encode()).hexdigest()[:24]
