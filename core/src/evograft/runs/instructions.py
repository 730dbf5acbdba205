"""Instructions to a run: advice for every trial that is not open yet."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evograft.errors import UserError
from evograft.runs.index import open_run
from evograft.runs.mailbox import leave_message
from evograft.runs.storage import open_storage
from evograft.text.masking import Keys
from evograft_hookspecs.drivers.shared_store import RunStorage
from evograft_hookspecs.values import check_text

ATTENTION = 3.0
"""Seconds that an instruction is watched, well over the half second between a run's looks."""

Reception = Literal["queued", "busy", "not_running"]
"""`busy`: the run gets it when it next looks; `not_running`: on its next resume."""


@dataclass(frozen=True)
class Delivery:
    """What became of an instruction."""

    reception: Reception
    has_model: bool
    """Whether the run asks a model at all, which could follow it."""


def send_instruction(folder: Path, text: str) -> Delivery:
    """Give a run an instruction, with keys masked, and watch for a moment whether it is read.

    Args:
        folder: of the run.
        text: such as "try beam search".

    Raises:
        UserError: the text is empty or not UTF-8, or the folder is not a run.
    """
    if not text.strip():
        raise UserError("the instruction is empty: say what the next trials should try")
    try:
        check_text(text)
    except ValueError as err:
        raise UserError("the instruction is not UTF-8 text") from err
    pipeline = open_run(folder).pipeline
    with open_storage(folder) as storage:
        message = leave_message(storage, "tell", Keys.of(pipeline.to_data()).masked(text))
        return Delivery(_reception(storage, message.id), has_model=pipeline.llm.driver != "none")


def _reception(storage: RunStorage, message: str) -> Reception:
    """Return what is known within the time; a run that ends at this moment reads it no more."""
    end = time.monotonic() + ATTENTION
    while (live := storage.writer() is not None) and time.monotonic() < end and storage.has_message(message):
        storage.wait(0.05)
    if not storage.has_message(message):
        return "queued"
    return "busy" if live else "not_running"
