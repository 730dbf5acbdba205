"""What several tests of novelty start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def printed_under_hash_seeds() -> Callable[[str], list[str]]:
    """What a program prints in processes of their own, in which sets and dicts have other orders."""

    def printed(code: str) -> list[str]:
        return [
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("0", "1", "2")
        ]

    return printed
