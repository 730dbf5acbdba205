"""Settings that `--llm` and `--set` give to a command: the plugin's options, and a model for one question."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from pathlib import Path

from evograft.api import Pipeline, UserError, active_plugins
from evograft_agent.model import OpenedModel, open_temporary_model
from evograft_playbook.commands.output import load_words, say
from evograft_playbook.language_model import PLUGIN
from evograft_playbook.options import PlaybookOptions


def read_options(pipeline: Pipeline, *, read: Collection[str]) -> PlaybookOptions:
    """Return the plugin's options in a pipeline.

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


def open_pipeline_model(pipeline: Pipeline) -> AbstractContextManager[OpenedModel]:
    """Open a model for a conversation that nothing stays of; a pipeline without one is a UserError."""

    def tell_folder(folder: Path) -> None:
        say(load_words()("manual", folder=folder))

    return open_temporary_model(pipeline, PLUGIN, tell_folder=tell_folder)
