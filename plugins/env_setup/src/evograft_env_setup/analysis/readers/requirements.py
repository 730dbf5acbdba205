"""requirements.txt, as pip reads it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from optparse import OptionParser
from pathlib import PurePosixPath

from evograft_env_setup.analysis.manifest import Dependency, Manifest, Purpose, Unreadable
from evograft_env_setup.analysis.readers.python_requirement import dependency

MOST_LINES = 5000
LONGEST_LINE = 20_000
"""Characters of a line with those that it goes on in: hashes are many."""
FOR_WORK = re.compile(r"dev|test|lint|ci|doc|check|type", re.IGNORECASE)
EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")


def read(text: str, path: str) -> Manifest:
    found: list[Dependency] = []
    wrong: list[str] = []
    for line in _lines(text):
        try:
            found.extend(_asked_by(line, purpose_of(path)))
        except Unreadable as err:
            wrong.append(str(err))
    return Manifest(dependencies=tuple(found), findings=tuple(wrong))


def includes(text: str) -> list[str]:
    """The files that it names with `-r`, as they are written."""
    named = []
    for line in _lines(text):
        try:
            named += _Options.of(line).requirements
        except Unreadable:  # a reader tells
            continue
    return named


def purpose_of(path: str) -> Purpose:
    """By its name: what is in requirements-dev.txt is for those who work on the project."""
    name = PurePosixPath(path).name.removesuffix(".txt").replace("requirements", "")
    return "test" if FOR_WORK.search(name) else "run"


@dataclass
class _Options:
    """Those of a line that matter here."""

    requirements: list[str] = field(default_factory=list)
    editables: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, line: str) -> _Options:
        from pip_requirements_parser import OptionParsingError, build_parser

        if not line.startswith("-"):
            return cls()
        parser: OptionParser = build_parser()
        try:
            values, _ = parser.parse_args(shlex.split(line))
        except (OptionParsingError, ValueError) as err:
            raise Unreadable(f"{line[:80]!r} is no option of pip's") from err
        return cls(values.requirements or [], values.editables or [])


def _lines(text: str) -> Iterator[str]:
    from pip_requirements_parser import CommentLine, join_lines, split_comments

    numbered = enumerate(text.splitlines(), start=1)
    # Blanks are squeezed, since the comments of a line with many are looked for in quadratic time.
    joined = ((number, " ".join(line.split())) for number, line in join_lines(numbered) if len(line) <= LONGEST_LINE)
    parts = (part for part in split_comments(joined) if not isinstance(part, CommentLine))
    for part in islice(parts, MOST_LINES):
        yield part.line


def _asked_by(line: str, purpose: Purpose) -> Iterator[Dependency]:
    from pip_requirements_parser import break_args_options

    written = break_args_options(line)[0]
    for each in [written] if written else _Options.of(line).editables:
        if not _is_place(each):
            yield dependency(each, purpose)
        # The name of what lies somewhere is not known before it is built, unless the address says it.
        elif egg := EGG.search(each[:1000]):
            yield Dependency(name=egg[1], ecosystem="python", asked=each[:1000], purpose=purpose)


def _is_place(written: str) -> bool:
    if " @ " in written:
        return False
    return "://" in written or written.startswith((".", "/")) or written.endswith((".whl", ".tar.gz", ".zip"))
