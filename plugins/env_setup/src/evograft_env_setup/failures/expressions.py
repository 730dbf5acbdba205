"""Regular expressions that take time in proportion to the text, whatever the text is."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class LinearExpression:
    """An expression of RE2, compiled when it is first used; `^` and `$` stand for the ends of a line."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def _compiled(self) -> Any:
        import re2

        options = re2.Options()
        options.log_errors = False
        return re2.compile(f"(?m){self.pattern}", options)

    def found(self, text: str) -> bool:
        return self._compiled.search(text) is not None

    def line(self, text: str) -> str | None:
        """Return the line of the text in which the first match begins."""
        match = self._compiled.search(text)
        if match is None:
            return None
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        return text[start:] if end < 0 else text[start:end]

    def without(self, text: str) -> str:
        """Return the text without what fits."""
        return str(self._compiled.sub("", text))
