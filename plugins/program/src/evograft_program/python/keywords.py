"""Keyword arguments of `evograft.evolve` and `evograft.study`, as a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evograft.api import EvolveOptions, StudyOptions, UserError, to_overrides
from evograft_program.foreign.openevolve_arguments import OpenEvolveArguments
from evograft_program.options import EvaluatorStyle
from evograft_program.requests.request import PLACES, EvolveRequest


def read_request(program: Path | None, evaluator: str, options: EvolveOptions | StudyOptions) -> EvolveRequest:
    """Return what was asked for; what was not given is left to other sources."""
    given: Mapping[str, Any] = options
    return EvolveRequest(
        program=program,
        evaluator=evaluator,
        change=_texts(given, "change"),
        statement=given.get("statement", ""),
        final=_path(given, "final"),
        examples=_path(given, "examples"),
        read=tuple(map(Path, _texts(given, "read"))),
        style=_style(given),
        config=_path(given, "config"),
        arguments=OpenEvolveArguments(api_base=given.get("api_base")),
        llm=given.get("llm", ""),
        plugins=_texts(given, "plugins"),
        settings={name: _plain(given[name]) for name in PLACES if given.get(name) is not None},
        overrides=to_overrides(given.get("settings", {})),
    )


def _plain(value: object) -> object:
    """Return a value as a settings file would have it."""
    return list(value) if isinstance(value, tuple) else value


def _path(given: Mapping[str, Any], name: str) -> Path | None:
    value = given.get(name)
    return None if value is None else Path(value)


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts; a single one would be taken for its letters."""
    value: Sequence[object] = given.get(name, ())
    if isinstance(value, str):
        raise UserError(f"{name}={value!r}: give a list, such as {name}=[{value!r}]")
    return tuple(map(str, value))


def _style(given: Mapping[str, Any]) -> EvaluatorStyle | None:
    style = given.get("style")
    if style is None:
        return None
    names = [each.value for each in EvaluatorStyle if each is not EvaluatorStyle.STUDY]
    if style not in names:
        raise UserError(f"style={style!r}: one of {', '.join(names)}")
    return EvaluatorStyle(style)
