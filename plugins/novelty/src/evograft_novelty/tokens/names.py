"""Scopes, and the numbers that local names get instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias


class ScopedName:
    """A name as it is seen from a scope; whether it is a local may show only later."""

    __slots__ = ("scope", "text", "token")

    def __init__(self, scope: NameScope, text: str) -> None:
        self.scope = scope
        self.text = text
        self.token = ""


Item: TypeAlias = "str | ScopedName"
"""What a walk collects: a token, or a name that may become one of the numbered ones."""


class NameScope:
    """A region of a program in which names are bound.

    Args:
        parent: the scope around it; `None`: the file.
        local: whether the names bound here are locals, which get numbers.
        hidden: whether the scopes inside look past it, as methods do past their class.
        comprehension: whether it is one of Python's, which bind less than functions do.
    """

    __slots__ = (
        "_seen",
        "comprehension",
        "depth",
        "frame",
        "free",
        "hidden",
        "kept",
        "local",
        "names",
        "parameters",
        "parent",
    )

    def __init__(
        self,
        parent: NameScope | None = None,
        *,
        local: bool = False,
        hidden: bool = False,
        comprehension: bool = False,
    ) -> None:
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.local = local
        self.hidden = hidden
        self.comprehension = comprehension
        # Numbers are counted per outermost function: one more variable in the first shifts none in the second.
        self.frame: NameScope = parent.frame if parent and parent.frame.local else self
        self.names: set[str] = set()
        self.parameters: set[str] = set()
        self.kept: set[str] = set()
        self.free: set[str] = set()
        self._seen: dict[str, ScopedName] = {}

    def inner(self, *, comprehension: bool = False) -> NameScope:
        """Return a new scope for a function or block inside."""
        return NameScope(self, local=True, comprehension=comprehension)

    def bind(self, name: str) -> None:
        if name not in self.free:
            self.names.add(name)

    def name(self, text: str) -> ScopedName:
        """Return the name in this scope, the same object each time."""
        seen = self._seen.get(text)
        if seen is None:
            seen = self._seen[text] = ScopedName(self, text)
        return seen

    def home(self, name: str) -> NameScope | None:
        """Return the scope in which the name is a local; `None` if it is not a local, and stays as it is."""
        scope: NameScope | None = self
        while scope:
            if scope is self or not scope.hidden:
                if name in scope.kept:
                    return None
                if name in scope.names:
                    return scope if scope.local else None
            scope = scope.parent
        return None

    def knows(self, name: str) -> bool:
        """Return whether the name is bound here or further out, as a local or not."""
        scope: NameScope | None = self
        while scope:
            if name in scope.names or name in scope.kept:
                return True
            scope = scope.parent
        return False


def number_names(items: Iterable[Item], is_kept: Callable[[NameScope, str], bool]) -> tuple[str, ...]:
    """Return the tokens, with `<0>`, `<1>`, … for locals in the order in which each outermost function mentions them.

    Args:
        items: in the order of the text.
        is_kept: whether a local, given by its scope and name, keeps its name.
    """
    tokens: list[str] = []
    counts: Counter[NameScope] = Counter()
    for item in items:
        if isinstance(item, str):
            tokens.append(item)
            continue
        if not item.token:
            _number(item, is_kept, counts)
        tokens.append(item.token)
    return tuple(tokens)


def is_numbered(token: str) -> bool:
    return token.startswith("<") and token[1:-1].isdecimal()


def _number(name: ScopedName, is_kept: Callable[[NameScope, str], bool], counts: Counter[NameScope]) -> None:
    home = name.scope.home(name.text)
    if home is None or is_kept(home, name.text):
        name.token = name.text
        return
    bound = home.name(name.text)
    if not bound.token:
        bound.token = f"<{counts[home.frame]}>"
        counts[home.frame] += 1
    name.token = bound.token
