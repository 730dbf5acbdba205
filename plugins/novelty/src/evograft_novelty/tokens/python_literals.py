"""Python's numbers and strings, without what a formatter may change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from tree_sitter import Language, Node

from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.walk import WORD, Handler, Role, Step, TokenWalk

ESCAPED = re.compile(r"\\(.)", re.DOTALL)
QUOTES = "'\""


@cache
def read_python() -> Language:
    import tree_sitter_python

    return Language(tree_sitter_python.language())


def find_value(number: str) -> complex | None:
    """Return the value of a float, imaginary ones included.

    `None` if only the grammar takes it for one, such as `1_.5`.
    """
    try:
        return complex(number)
    except ValueError:
        return None


class PythonLiterals(TokenWalk):
    """Literals as Python reads them, whichever way they are written."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source, read_python())

    def _number(self, node: Node, scope: NameScope, role: Role) -> None:
        text = self.text(node)
        if "__" in text or text.endswith("_"):
            self.leaf(node, scope, role)
        else:
            self.items.append(text.lower().replace("_", ""))

    def _float(self, node: Node, scope: NameScope, role: Role) -> None:
        text = self.text(node).lower()
        if find_value(text) is None:
            self.leaf(node, scope, role)
        elif text.endswith("j"):
            self._number(node, scope, role)
        else:
            self.items.append(repr(float(text)))

    def _string(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        opening, *parts = node.children
        prefix = self.text(opening).rstrip(QUOTES).lower().replace("u", "")
        steps: list[Step] = []
        for part in parts:
            if part.type == "string_content":
                steps.append(f'{prefix}"{self._content(part, is_raw="r" in prefix)}')
            elif part.type != "string_end" or part.is_missing:
                steps.append(part)
        if not steps:  # the grammar sees no content in backslashes that end a line
            steps = [f'{prefix}"{self.text(node)[len(self.text(opening)) :].rstrip(QUOTES)}']
        elif len(steps) > 1 or not isinstance(steps[0], str):
            steps = [f'{prefix}"', *steps, '"']
        self.then(steps)

    def _content(self, node: Node, *, is_raw: bool) -> str:
        """Return the text without the backslashes that only its kind of quotes asks for."""
        text = self.text(node)
        if is_raw or "\\" not in text:
            return text
        return ESCAPED.sub(lambda escape: escape[1] if escape[1] in QUOTES else escape[0], text)

    def _interpolation(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read an interpolation; `{x = }` prints all up to the `=` as it is written."""
        del scope, role
        if any(child.type == "=" for child in node.children):
            text = self.text(node)
            self.pinned.update(WORD.findall(text))
            self.items.append(text)
        else:
            self.then(node.children)

    def _format_specifier(self, node: Node, scope: NameScope, role: Role) -> None:
        """Keep a format specifier as text, because the tree leaves most of it out."""
        del scope, role
        text = self.text(node)
        if "{" in text:
            self.pinned.update(WORD.findall(text))
        self.items.append(text)

    leaves: ClassVar[Mapping[str, Handler]] = {"float": _float, "integer": _number}
    handlers: ClassVar[Mapping[str, Handler]] = {
        "format_specifier": _format_specifier,
        "interpolation": _interpolation,
        "string": _string,
    }
