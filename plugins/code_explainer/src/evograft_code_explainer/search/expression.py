"""Regular expressions of models: RE2's, of which none takes more than linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evograft_code_explainer.files.refusal import RequestRefused

LONGEST = 1000

ASCII_CLASSES = {
    "w": "[0-9A-Za-z_]",
    "W": "[^0-9A-Za-z_]",
    "d": "[0-9]",
    "D": "[^0-9]",
    "s": r"[\t\n\f\r ]",
    "S": r"[^\t\n\f\r ]",
    "b": r"(?-u:\b)",
}


@dataclass(frozen=True)
class SearchHit:
    """A line that fits."""

    number: int
    line: str
    start: int
    """Where in the line the match begins."""


class SearchExpression:
    """A regular expression that is looked for line by line."""

    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        """Compile the pattern; raise `RequestRefused` if it is not a regular expression."""
        import re2

        if not pattern or len(pattern) > LONGEST:
            raise RequestRefused(f"pattern: between 1 and {LONGEST:,} characters")
        options = re2.Options()
        options.never_nl = True
        options.log_errors = False
        options.case_sensitive = not ignore_case
        try:
            self._compiled: Any = re2.compile(f"(?m){pattern}", options)
        except re2.error as err:
            reason = err.args[0].decode(errors="replace").replace("(?m)", "")
            raise RequestRefused(
                f"pattern: {reason}. It is a regular expression of RE2, which knows no look-around and no"
                r" back-references; \ goes before ( [ { . * + ? that stand for themselves"
            ) from err
        self.pattern = pattern
        self.ignore_case = ignore_case

    def hits(self, text: str) -> Iterator[SearchHit]:
        """Yield the lines that fit, each once."""
        data = text.replace("\r\n", "\n").encode(errors="replace")
        at, number = 0, 1
        while at < len(data) and (match := self._compiled.search(data, at)):
            start = max(at, data.rfind(b"\n", at, match.start()) + 1)
            end = data.find(b"\n", match.end())
            end = len(data) if end < 0 else end
            number += data.count(b"\n", at, start)
            line = data[start:end].decode(errors="replace")
            yield SearchHit(number, line, len(data[start : match.start()].decode(errors="replace")))
            at, number = end + 1, number + 1

    def for_ripgrep(self) -> str:
        """Return the same in the syntax of ripgrep, to which a class of characters is one of Unicode."""
        return re.sub(r"\\(.)", lambda escape: ASCII_CLASSES.get(escape[1], escape[0]), self.pattern, flags=re.DOTALL)
