"""What `--llm` and `--set` say to a command: the plugin's options, and a model for one question."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evograft.activation import active_plugins
from evograft.agent.desk import passing_desk
from evograft.composing import llm_settings
from evograft.config import Pipeline, resolve
from evograft.errors import CallEnded, UserError
from evograft.settings import load_settings
from evograft_hookspecs import LlmAnswer, LlmRequest
from evograft_hookspecs.ports import LlmService
from evograft_playbook.commands.showing import say, words
from evograft_playbook.learning.options import PlaybookOptions

PLUGIN = "playbook"


@dataclass(frozen=True)
class DeskModel:
    """The model of a desk. What ends a conversation there ends nothing else: it is an error like any other."""

    llm: LlmService

    def complete(self, request: LlmRequest) -> LlmAnswer:
        try:
            return self.llm.complete(request)
        except CallEnded as end:
            raise end.error from end


def pipeline_of(overrides: Sequence[str], *, llm: str | None = None) -> Pipeline:
    """The pipeline that a command's settings make up: of this plugin alone.

    Args:
        overrides: of `--set`.
        llm: of `--llm`.
    """
    settings = (*llm_settings(llm, Path(load_settings().runs_dir)), *overrides)
    return resolve({"name": PLUGIN, "plugins": [PLUGIN]}, settings, source="evo playbook")


def options_in(pipeline: Pipeline, *, read: Collection[str]) -> PlaybookOptions:
    """The plugin's options in a pipeline.

    Args:
        pipeline: of a command.
        read: those that the command makes use of; any other that is set is a UserError.
    """
    options = [each.instance.options for each in active_plugins(pipeline) if each.name == PLUGIN]
    given: PlaybookOptions = options[0] if options else PlaybookOptions()
    for name in sorted(given.model_fields_set - set(read)):
        raise UserError(
            f"plugins.{PLUGIN}.with.{name}: is for runs; of the plugin's options this command reads {', '.join(read)}"
        )
    return given


@contextmanager
def model_of(pipeline: Pipeline) -> Iterator[DeskModel]:
    """A model in a conversation that nothing stays of; a pipeline without one is a UserError."""

    def tell_folder(folder: Path) -> None:
        say(words()("manual", folder=folder))

    with passing_desk(pipeline, PLUGIN, tell_folder=tell_folder) as at:
        yield DeskModel(at.ctx.llm)
