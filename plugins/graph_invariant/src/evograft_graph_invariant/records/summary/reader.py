"""The reader of summaries of any age: what is missing or broken counts as not recorded, and a note says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evograft.api import UserError
from evograft_graph_invariant.records.summary.model import SCHEMA_VERSION, ExperimentSummary

MOST_BYTES = 100_000_000
"""A summary of 10,000 candidates has about three million."""

MOST_NAMED = 20
"""The number of places that could not be read that a note names."""

Place = tuple[int | str, ...]
"""The way to a value in JSON data: keys, and numbers in lists."""


def read_summary(path: Path) -> ExperimentSummary:
    """Return the summary in a file, as far as it can be read.

    Raises:
        UserError: the file cannot be read at all, or holds no JSON object.
    """
    try:
        return parse_summary(_read_json(path))
    except RecursionError as err:
        raise UserError(f"{path} is nested more deeply than any summary") from err


def parse_summary(data: dict[str, Any]) -> ExperimentSummary:
    """Return the summary in plain data; whatever does not fit is left out, and named in its `notes`."""
    data, dropped = dict(data), []
    while True:
        try:
            found = ExperimentSummary.model_validate(data)
            break
        except ValidationError as err:
            wrong = {_cut(data, error["loc"]) for error in err.errors()}
            data = _without(data, wrong)
            dropped += sorted(map(_in_words, wrong))
    return found.model_copy(update={"notes": (*found.notes, *_notes(found, dropped))})


def _read_json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path} has more than {MOST_BYTES:,} bytes, which no summary has")
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as err:
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err
    except ValueError as err:
        raise UserError(f"{path} is no JSON: {err}") from err
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no summary, which is a JSON object, but a {type(data).__name__}")
    return data


def _cut(data: Any, location: Place) -> Place:
    """Return the longest part of an error's location that can be left out: a key of an object, or an object in a list.

    Numbers of a list stay together: without one of them the others would be those of other graphs.
    """
    path: list[int | str] = []
    best: Place = location[:1]
    here = data
    for part in location:
        inside = isinstance(here, dict) and part in here
        item = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if not (inside or item):
            break
        here = here[part]
        path.append(part)
        if inside or isinstance(here, dict):
            best = tuple(path)
    return best


def _without(data: Any, wrong: set[Place]) -> Any:
    """Return a copy of JSON data without the places that are named."""
    if isinstance(data, dict):
        return {key: _without(item, _below(key, wrong)) for key, item in data.items() if (key,) not in wrong}
    if isinstance(data, list):
        return [_without(item, _below(i, wrong)) for i, item in enumerate(data) if (i,) not in wrong]
    return data


def _below(part: int | str, wrong: set[Place]) -> set[Place]:
    return {path[1:] for path in wrong if path[0] == part and len(path) > 1}


def _in_words(place: Place) -> str:
    # Keys are foreign text, which may hold what no UTF-8 file can.
    return ".".join(map(str, place)).encode("utf-8", "replace").decode()


def _notes(found: ExperimentSummary, dropped: list[str]) -> Iterator[str]:
    if found.schema_version is None:
        yield "the file has no schema_version: it is older than the versions"
    elif found.schema_version != SCHEMA_VERSION:
        yield f"the file has schema_version {found.schema_version}, and this program reads {SCHEMA_VERSION}"
    if dropped:
        more = f" and {len(dropped) - MOST_NAMED} more" if len(dropped) > MOST_NAMED else ""
        yield f"could not be read, so they count as not recorded: {', '.join(dropped[:MOST_NAMED])}{more}"
