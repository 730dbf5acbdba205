"""A model outside of any run, for agents that need no tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evograft.config.pipeline import Pipeline
from evograft.errors import HookAborted
from evograft.session.standalone import open_temporary
from evograft_hookspecs import LlmAnswer, LlmRequest
from evograft_hookspecs.services.llm import LlmService


@dataclass(frozen=True)
class OpenedModel:
    """A model that asks by itself. What ends a run in the kernel ends nothing here: it is an error like any other."""

    llm: LlmService

    def complete(self, request: LlmRequest) -> LlmAnswer:
        """Return the answer of the model.

        Raises:
            LlmRefused: there is no answer to this request.
            ServiceError: the model cannot be reached, or a limit is used up.
        """
        try:
            return self.llm.complete(request)
        except HookAborted as end:
            raise end.error from end


@contextmanager
def open_temporary_model(
    pipeline: Pipeline, caller: str, *, tell_folder: Callable[[Path], None]
) -> Iterator[OpenedModel]:
    """Open the model of a pipeline; arguments and errors are those of `open_temporary`."""
    with open_temporary(pipeline, caller, tell_folder=tell_folder) as at:
        yield OpenedModel(at.ctx.llm)
