"""Logs written by hand, row by row, and what a report makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from logbook import LogBook


@pytest.fixture
def book(runs: Any, tmp_path: Path) -> Iterator[LogBook]:
    """The log of a run with two models, one of them without a price, that no kernel has worked on."""
    pipeline = runs.pipeline(
        trials=100,
        llm={
            "driver": "openai",
            "base_url": "http://127.0.0.1:9/v1",
            "models": [{"name": "dear", "price": {"prompt": 2.0, "completion": 4.0}}, "free"],
        },
        order="arrival",
    )
    with LogBook.begun(pipeline, tmp_path / "book") as book:
        yield book
