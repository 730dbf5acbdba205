"""requirements.txt, as pip reads it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from optparse import OptionParser
from pathlib import PurePosixPath

from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose, UnreadableManifest
from evograft_env_setup.manifests.readers.python_requirement import dependency

MOST_LINES = 5000
MOST_INCLUDED = 100
LONGEST_LINE = 20_000
"""Characters of a line with those that continue it: hashes are many."""
FOR_WORK = re.compile(
    r"(?:^|[-_.])(?:dev(?:el(?:op(?:ment)?)?)?|tests?|testing|lint|ci|docs?|checks?|typing)(?:$|[-_.])"
)
HASH = re.compile(r"^[ \t]*--hash=[\w:]*[ \t]*(\\?)$", re.MULTILINE)
EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")


def read(text: str, path: str) -> ProjectManifest:
    found: list[Dependency] = []
    included: list[str] = []
    wrong: list[str] = []
    parser = _OptionParser()
    for line in _lines(text):
        try:
            options = parser.options(line)
            included += options.requirements
            found.extend(_asked_by(line, options, purpose_of(path)))
        except UnreadableManifest as err:
            wrong.append(str(err))
    if len(included) > MOST_INCLUDED:
        wrong.append(f"includes {len(included)} files, of which {MOST_INCLUDED} are read")
    return ProjectManifest(dependencies=tuple(found), includes=tuple(included[:MOST_INCLUDED]), findings=tuple(wrong))


def purpose_of(path: str) -> Purpose:
    """Return the purpose of a list by its name: requirements-dev.txt is for those who work on the project."""
    return "test" if FOR_WORK.search(PurePosixPath(path).name.lower()) else "run"


@dataclass
class _Options:
    """The options of a line that matter here."""

    requirements: list[str] = field(default_factory=list)
    editables: list[str] = field(default_factory=list)


class _OptionParser:
    """The parser of pip's options, made once: it is expensive, and every line needs it."""

    def __init__(self) -> None:
        from pip_requirements_parser import build_parser

        self._parser: OptionParser = build_parser()

    def options(self, line: str) -> _Options:
        from pip_requirements_parser import OptionParsingError

        options = _Options()
        if line.startswith("-"):
            values = self._parser.get_default_values()
            # Values of earlier lines would be added to otherwise.
            values.requirements, values.editables = options.requirements, options.editables
            try:
                self._parser.parse_args(shlex.split(line), values)
            except (OptionParsingError, ValueError) as err:
                raise UnreadableManifest(f"{line[:80]!r} is no option of pip's") from err
        return options


def without_hashes(text: str) -> tuple[str, int]:
    """Return the text with only the line breaks of its hashes, most of a locked list, and how many lines had one."""
    return HASH.subn(r"\1", text)


def _lines(text: str) -> Iterator[str]:
    from pip_requirements_parser import CommentLine, join_lines, split_comments

    numbered = enumerate(without_hashes(text)[0].splitlines(), start=1)
    # Blanks are squeezed, because the comments of a line with many are looked for in quadratic time.
    joined = ((number, " ".join(line.split())) for number, line in join_lines(numbered) if len(line) <= LONGEST_LINE)
    parts = (part for part in split_comments(joined) if not isinstance(part, CommentLine))
    for part in islice(parts, MOST_LINES):
        yield part.line


def _asked_by(line: str, options: _Options, purpose: Purpose) -> Iterator[Dependency]:
    from pip_requirements_parser import break_args_options

    written = break_args_options(line)[0]
    for each in [written] if written else options.editables:
        if not _is_place(each):
            yield dependency(each, purpose)
        # The name of what lies somewhere is not known before it is built, unless the address says it.
        elif egg := EGG.search(each[:1000]):
            yield Dependency(name=egg[1], ecosystem="python", asked=each[:1000], purpose=purpose)


def _is_place(written: str) -> bool:
    if " @ " in written:
        return False
    return "://" in written or written.startswith((".", "/")) or written.endswith((".whl", ".tar.gz", ".zip"))
