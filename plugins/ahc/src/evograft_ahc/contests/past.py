"""Past contests: facts, each with its source. What is not known is absent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from evograft_ahc.files.user_file import read_text
from evograft_ahc.text.validation_errors import make_invalid_data_error, make_invalid_json_error

SUFFIXES = frozenset({".json", ".db", ".sqlite", ".sqlite3"})
"""Of files in a folder that are read."""


class ContestFact(BaseModel):
    """The base of what users write: a misspelt field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class SolutionApproach(ContestFact):
    """How a contest was solved."""

    rank_range: str = ""
    """Whose approach it is, such as `1st` or `Top 10`."""
    algorithms_used: tuple[str, ...] = ()
    key_ideas: tuple[str, ...] = ()
    reference_urls: tuple[str, ...] = ()
    estimated_difficulty: str = ""


class Contest(ContestFact):
    """One contest."""

    contest_id: str
    title: str = ""
    """The title of the contest."""
    problem_title: str = ""
    keywords: tuple[str, ...] = ()
    """Words by which people look for the problem, in English and Japanese."""
    date: str = ""
    """The day it began, ISO."""
    problem_url: str = ""
    problem_summary: str = ""
    tags: tuple[str, ...] = ()
    solution_approaches: tuple[SolutionApproach, ...] = ()
    official_editorial_url: str = ""
    editorials: int | None = None
    """How many editorials the site lists."""
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    duration_minutes: int | None = None
    format: Literal["short", "long"] | None = None
    interactive: bool | None = None
    whole_input_possible: bool | None = None
    """An interactive problem whose input file may be fed at once."""
    score_direction: Literal["max", "min"] | None = None
    score_kind: (
        Literal["absolute_sum", "relative_min_over_yours", "relative_yours_over_max", "rank_per_case"] | None
    ) = None
    provisional_cases: int | None = None
    system_cases: int | None = None
    time_limit_seconds: float | None = None
    tools_url: str = ""
    ale_bench: Literal["full", "lite"] | None = None
    """The smallest set of the benchmark ALE-Bench that it belongs to."""
    sources: Mapping[str, str] = {}
    """Where the facts were found, by what they are about."""

    def over_at(self) -> datetime | None:
        """When it ended or will end; `None`: not known."""
        if self.end is not None:
            return self.end
        if self.start is None or self.duration_minutes is None:
            return None
        return self.start + timedelta(minutes=self.duration_minutes)


def find_end(contest_id: str) -> datetime | None:
    """When a contest ended or will end, in UTC; `None` where the packaged data does not tell.

    What users add has no say in it: the rules of the contests depend on the answer.
    """
    contest = find_packaged(contest_id)
    over = contest.over_at() if contest else None
    return over.astimezone(UTC) if over else None


def find_packaged(contest_id: str) -> Contest | None:
    """Return what the packaged data knows of a contest."""
    return _packaged_by_id().get(contest_id.lower())


def load_packaged_contests() -> tuple[Contest, ...]:
    return read_contests(files("evograft_ahc") / "contests" / "contests.json")


def load_user_contests(paths: Iterable[Path]) -> tuple[Contest, ...]:
    """Load those of JSON and SQLite files, and of all such files in folders."""
    from evograft_ahc.contests.tables import is_database, read_tables

    files = (file for path in paths for file in _files_of(path))
    return tuple(each for file in files for each in (read_tables(file) if is_database(file) else read_contests(file)))


def read_contests(file: Traversable) -> tuple[Contest, ...]:
    """Read the contests of a JSON file that holds one object or a list of them."""
    try:
        data = json.loads(read_text(file))
    except json.JSONDecodeError as err:
        raise make_invalid_json_error(file, err) from err
    return tuple(_contest(entry, file, place) for place, entry in enumerate(data if isinstance(data, list) else [data]))


def tag_of(text: str) -> str:
    """Write a tag in the one way: `Beam Search` is `beam_search`."""
    return "_".join(text.casefold().replace("-", " ").replace("_", " ").split())


def _contest(entry: object, file: Traversable, place: int) -> Contest:
    try:
        return Contest.model_validate(entry)
    except ValidationError as err:
        who = entry.get("contest_id") if isinstance(entry, dict) else None
        raise make_invalid_data_error(f"{file}: {who or f'contest {place + 1}'}", err) from err


def _files_of(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.suffix in SUFFIXES) if path.is_dir() else [path]


@cache
def _packaged_by_id() -> Mapping[str, Contest]:
    return {contest.contest_id: contest for contest in load_packaged_contests()}
