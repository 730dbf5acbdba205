"""The model that answers, opened as a user names it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evograft.api import Pipeline, llm_settings, load_settings, resolve_pipeline
from evograft_agent.model import OpenedModel, open_temporary_model

PLUGIN = "playbook"

warn: Callable[[str], None] = logging.getLogger("evograft_playbook").warning


@contextmanager
def open_model(llm: str, settings: Sequence[str] = (), *, say: Callable[[str], None] = warn) -> Iterator[OpenedModel]:
    """Open a model outside of any run, with retries, limits and masked keys as in one.

    Nothing of what is asked is kept.

    Args:
        llm: `DRIVER[:MODEL]` as after `--llm`, such as `ollama:qwen3`, `openai:some-model` or `manual`.
        settings: further ones as after `--set`, such as `llm.base_url=http://localhost:8000/v1`.
        say: tells a person where prompts wait, if they are answered by hand; the log by default.

    Raises:
        UserError: the settings are at fault, or name no model.
    """
    pipeline = build_pipeline(settings, llm=llm)

    def tell_folder(folder: Path) -> None:
        say(f"answer its prompts with: evo answer {folder}")

    with open_temporary_model(pipeline, PLUGIN, tell_folder=tell_folder) as model:
        yield model


def build_pipeline(overrides: Sequence[str], *, llm: str | None = None) -> Pipeline:
    """Build the pipeline that settings make up: of this plugin alone.

    Args:
        overrides: of `--set`.
        llm: of `--llm`.
    """
    settings = (*llm_settings(llm, Path(load_settings().runs_dir)), *overrides)
    return resolve_pipeline({"name": PLUGIN, "plugins": [PLUGIN]}, settings, source="evo playbook")
