"""The copy of a program that an agent works on: files in memory, so nothing outside can be read or written."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_hookspecs import CandidateRejected
from evograft_operators.models.answer import AnswerBase, AnswerRules, check_child
from evograft_operators.models.answer_text import LONGEST_ANSWER, check_characters
from evograft_operators.models.diff import apply_edits, read_edits
from evograft_operators.models.paths import check_new_path, check_path, tidy_path
from evograft_operators.models.text import line_end_of, list_some, quote

MOST_LINES = 400
"""Of a file that is read at once."""


class AgentWorkspace:
    """The files of a program while an agent changes them.

    What each method says is for the agent; what it does wrong is a `CandidateRejected` with what to do instead.
    """

    def __init__(self, ground: AnswerBase, rules: AnswerRules) -> None:
        self._ground = ground
        self._rules = rules
        self._files = dict(ground.files)

    @property
    def files(self) -> Mapping[str, str]:
        """The files as they are, checked or not."""
        return self._files

    def list_files(self) -> str:
        """Return paths and sizes."""
        return "\n".join(f"{path}: {len(text.splitlines())} lines" for path, text in self._files.items())

    def read_file(self, path: str, first: int, last: int | None) -> str:
        """Return lines of a file, with their numbers."""
        lines = self._get(path).split("\n")
        first = max(first, 1)
        last = min(last or len(lines), first + MOST_LINES - 1, len(lines))
        if first > last:
            raise CandidateRejected(f"{path} has {len(lines)} lines: there is none from {first} on")
        shown = "\n".join(f"{number}: {lines[number - 1]}" for number in range(first, last + 1))
        return shown if last == len(lines) else f"{shown}\n(of {len(lines)} lines)"

    def write_file(self, path: str, text: str) -> str:
        """Put a text in the place of a file."""
        path = tidy_path(path)
        check_path(path)
        if path not in self._files:
            if not self._rules.new_files:
                raise CandidateRejected(f"{quote(path)} is not a file of the program: {list_some(self._files)}")
            check_new_path(path, self._files)
        text = text.strip("\n") + "\n"
        if line_end_of(self._files.get(path, "")) == "\r\n":
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        self._put({**self._files, path: text})
        return f"{path} has {len(text.splitlines())} lines now"

    def patch(self, edits: str) -> str:
        """Apply SEARCH/REPLACE blocks."""
        read = read_edits(edits, self._files)
        if not read:
            raise CandidateRejected("there is no block: begin it with <<<<<<< SEARCH and end it with >>>>>>> REPLACE")
        self._put(apply_edits(self._files, read, new_files=self._rules.new_files))
        return f"{len(read)} {'block' if len(read) == 1 else 'blocks'} applied"

    def checked(self) -> dict[str, str]:
        """Return the program as it can be evaluated and handed in.

        Raises:
            CandidateRejected: it is the parent, breaks its marks, or cannot be parsed.
        """
        return check_child(self._files, self._ground, self._rules)

    def _get(self, path: str) -> str:
        path = tidy_path(path)
        if path not in self._files:
            raise CandidateRejected(f"{quote(path)} is not a file of the program: {list_some(self._files)}")
        return self._files[path]

    def _put(self, files: Mapping[str, str]) -> None:
        size = sum(map(len, files.values()))
        if size > LONGEST_ANSWER:
            raise CandidateRejected(f"the program has {size} characters: at most {LONGEST_ANSWER} are allowed")
        for path, text in files.items():
            if text != self._files.get(path):
                check_characters(text)
        self._files = dict(files)
