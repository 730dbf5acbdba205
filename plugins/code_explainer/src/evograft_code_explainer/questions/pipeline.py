"""The pipeline of a conversation: a file, ours if no other is named, and what the command line adds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from evograft.api import Pipeline, UserError, activate, compose_pipeline, did_you_mean, load_settings, resolve_pipeline
from evograft.text.i18n import usual_language
from evograft_agent.loop import FINISH_TOOL
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_hookspecs.values import thaw

PLUGIN = "code_explainer"


def build_pipeline(file: Path | None, overrides: Sequence[str], *, llm: str | None) -> Pipeline:
    """Build the pipeline of a new conversation; settings that are at fault are a UserError."""
    runs = Path(load_settings().runs_dir)
    with as_file(files("evograft_code_explainer") / "presets" / "explain.yaml") as preset:
        return fit_pipeline(compose_pipeline(file or preset, None, overrides, llm=llm, runs=runs))


def fit_pipeline(pipeline: Pipeline) -> Pipeline:
    """Say where and in which language a conversation is held, so that it can be continued from anywhere.

    Raises:
        UserError: no question can be asked with it.
    """
    given = _check_options(pipeline)
    if pipeline.tools is not None and FINISH_TOOL not in pipeline.tools:
        raise UserError(f"tools: evo explain needs {FINISH_TOOL!r} among them: the model ends its task with it")
    language = given.asking.language or usual_language()
    fixed = build_overrides({"root": _folder(given.root), "asking.language": language})
    return resolve_pipeline(pipeline.to_data(), fixed, source="explain")


def build_overrides(values: Mapping[str, Any]) -> list[str]:
    """Return options of the plugin as overrides, without those that are `None`."""
    given = {key: value for key, value in values.items() if value is not None}
    return [f"plugins.{PLUGIN}.with.{key}={json.dumps(value, ensure_ascii=False)}" for key, value in given.items()]


def read_options(pipeline: Pipeline) -> CodeExplainerOptions:
    """Return the plugin's options in a pipeline that was checked."""
    return CodeExplainerOptions.model_validate(thaw(pipeline.plugins[_position(pipeline)].with_))


def _check_options(pipeline: Pipeline) -> CodeExplainerOptions:
    position = _position(pipeline)
    checked: CodeExplainerOptions = activate(pipeline.plugins[position], position=position).instance.options
    return checked


def _position(pipeline: Pipeline) -> int:
    names = [section.name for section in pipeline.plugins]
    if PLUGIN not in names:
        raise UserError(f"plugins: evo explain needs {PLUGIN!r} among them; {did_you_mean(PLUGIN, names)}")
    return names.index(PLUGIN)


def is_folder(text: str) -> bool:
    """Return whether a text, which may be a whole question, names a folder."""
    try:
        return bool(text) and Path(text).is_dir()
    except OSError:  # such as one that is too long for a name
        return False


def _folder(root: str) -> str:
    if not is_folder(root):
        raise UserError(f"cannot explain {root!r}: it is no folder; ask about a single file in the question")
    return str(Path(root).absolute())
