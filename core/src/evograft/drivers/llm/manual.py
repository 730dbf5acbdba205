"""A person, or another program, as the model: prompts appear as files, and so do the answers."""

from __future__ import annotations

import math
import threading
from pathlib import Path

from evograft.drivers.llm.prompt_files import PromptFile, remove_unanswered, write_prompt
from evograft.text.escapes import one_line
from evograft_hookspecs import LlmAnswer, LlmCall, LlmUnavailable, NoOptions, Price, Usage

EVERY = 0.3
"""Seconds between looks for an answer."""
STOPPED = "the run has stopped"
CHARS_PER_TOKEN = 4
"""As English text and code have it with most tokenizers: nobody counts the tokens of a person."""

State = tuple[int, int, int]
"""The state of a file: which one it is, its size, and when it was written."""


class ManualLlm:
    """A model that is a person: it waits for answers as long as it takes."""

    Options = NoOptions
    available = True
    patient = True
    default_model = "manual"

    def __init__(self, options: NoOptions) -> None:
        self.options = options
        self._folder: Path | None = None
        self._closed = threading.Event()

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the protocol's
        """Return a price of nothing: what a person's time is worth is not for us to say."""
        return Price(prompt=0.0, completion=0.0)

    def open(self, folder: Path) -> None:
        try:
            remove_unanswered(folder)
        except OSError as err:
            raise _unusable(err) from err
        self._folder = folder

    def complete(self, call: LlmCall, *, timeout: float = 0.0) -> LlmAnswer:  # noqa: ARG002 - nobody is hurried
        if self._folder is None:
            raise LlmUnavailable("the driver has not been opened")
        if self._closed.is_set():
            raise LlmUnavailable(STOPPED)
        try:
            text = self._wait(write_prompt(self._folder, call))
        except OSError as err:
            raise _unusable(err) from err
        return LlmAnswer(text=text, model=call.request.model, usage=_estimate(call, text))

    def _wait(self, prompt: PromptFile) -> str:
        """Return the answer as soon as it is there and has not changed between two looks: editors write in steps."""
        before: State | None = None
        while True:
            state = _state_of(prompt.answer_path)
            if state is not None and state == before:
                text = prompt.answer()
                if text is not None:
                    return text
            before = state
            if not prompt.path.parent.parent.is_dir():
                raise LlmUnavailable(f"the run's folder {str(prompt.path.parent.parent)!r} is gone")
            if self._closed.wait(EVERY):
                raise LlmUnavailable(STOPPED)

    def close(self) -> None:
        """Wake all who wait. Their prompts stay, and so do answers that come later."""
        self._closed.set()


def _estimate(call: LlmCall, text: str) -> Usage:
    prompt = sum(len(message.content) for message in call.request.messages)
    tokens = (math.ceil(chars / CHARS_PER_TOKEN) for chars in (prompt, len(text)))
    return Usage(prompt_tokens=next(tokens), completion_tokens=next(tokens), estimated=True)


def _state_of(path: Path) -> State | None:
    if not path.is_file():
        return None
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _unusable(err: OSError) -> LlmUnavailable:
    return LlmUnavailable(one_line(f"the folder of prompts cannot be used: {err}"))
