"""The walk that those through Python's and C++'s trees have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from tree_sitter import Language, Node, Parser

from evograft_novelty.tokens.names import Item, NameScope, number_names

DEEPEST = 200
"""Scopes; in a program that is nested deeper all names stay as they are, so that looking them up takes bounded time."""

WORD = re.compile(r"\w+")

EXTRAS = frozenset({"comment", "line_continuation"})
"""Nodes that may stand between any two others, and say nothing."""

Role: TypeAlias = Literal["plain", "operand", "value", "target", "item", "parameter", "kept", "case", "first"]
"""What a node is to the one above it.

- `operand`: an operator here stands in parentheses, whether the text has them or not;
- `value`: all that a statement is about: a tuple here needs no parentheses;
- `target`: names here are bound;
- `item`: likewise, and parentheses matter;
- `parameter`: names here are bound as parameters;
- `kept`: names here stay as they are;
- `case`: a pattern that is matched;
- `first`: the first clause of a comprehension.
"""

CLOSING = (")", "]", "}")

BINDING = ("target", "item", "parameter")

Step: TypeAlias = "str | Node | tuple[Node, NameScope, Role] | NameScope"
"""A token, a plain node in the scope at hand, any other node, or the scope of what follows."""

Handler: TypeAlias = "Callable[[Any, Node, NameScope, Role], None]"


class TokenWalk:
    """Collects a tree's tokens in order, without recursion: programs may be nested as deep as they are long."""

    handlers: ClassVar[Mapping[str, Handler]]
    """What to do with a node that has children, by its type; all others are their children."""
    leaves: ClassVar[Mapping[str, Handler]]
    """What to do with a node that has none; all others are a token. Keywords have the types of nodes, as `lambda`."""

    def __init__(self, source: bytes, language: Language) -> None:
        self.items: list[Item] = []
        self.pinned: set[str] = set()
        """Names that also stand in text of which nothing is known: they stay as they are."""
        self.pins_all = False
        self._source = source
        # Places are counted in bytes, which are characters in most programs.
        self._ascii = source.decode() if source.isascii() else ""
        self._language = language
        self._todo: list[Step] = []

    def tokens(self) -> tuple[str, ...]:
        todo, emit, handlers, leaves, scope = self._todo, self.items.append, self.handlers, self.leaves, NameScope()
        is_broken = self._start()
        while todo:
            step = todo.pop()
            role: Role = "plain"
            if isinstance(step, Node):
                node = step
            elif isinstance(step, tuple):
                node, inside, role = step
                if inside is not scope:
                    # On the way back, below all that stands in the other scope.
                    todo.append(scope)
                    scope = self._entered(inside)
            elif isinstance(step, str):
                emit(step)
                continue
            else:
                scope = self._entered(step)
                continue
            # From here on it would read better as a function of its own, and take a fifth longer.
            kind, children = node.type, node.children
            handler = (handlers if children else leaves).get(kind)
            if handler:
                handler(self, node, scope, role)
            elif children:
                todo += children[::-1]
            # Punctuation and keywords are nodes without a name, and their type is their text.
            elif node.is_named or (is_broken and node.is_missing):
                self.leaf(node, scope, role)
            else:
                emit(kind)
        return self._finish()

    def _start(self) -> bool:
        """Begin at the root; return whether the tree has broken parts."""
        root = Parser(self._language).parse(self._source).root_node
        if root.has_error:
            # A bracket that is missing may be one of those that are left out, and then the whole program looks alike.
            self.items.append("<broken>")
        self._todo.append(root)
        return root.has_error

    def _finish(self) -> tuple[str, ...]:
        if self.pins_all:
            return tuple(item if isinstance(item, str) else item.text for item in self.items)
        return number_names(self.items, self.is_kept)

    def _entered(self, scope: NameScope) -> NameScope:
        self.pins_all |= scope.depth > DEEPEST
        return scope

    def is_kept(self, scope: NameScope, name: str) -> bool:
        del scope
        return name in self.pinned

    def text(self, node: Node) -> str:
        if self._ascii:
            return self._ascii[node.start_byte : node.end_byte]
        return self._source[node.start_byte : node.end_byte].decode(errors="backslashreplace")

    def then(self, steps: Sequence[Step]) -> None:
        """Go through these before anything else."""
        self._todo += steps[::-1]

    def within(self, inner: NameScope, nodes: Sequence[Node], scope: NameScope) -> None:
        """Go through plain nodes in a scope, and come back."""
        self.then([inner, *nodes, scope])

    @staticmethod
    def as_role(nodes: Iterable[Node], scope: NameScope, role: Role) -> Sequence[Step]:
        return [(node, scope, role) for node in nodes]

    # -- nodes that both languages have -------------------------------------------------------------------------------

    def through(self, node: Node, scope: NameScope, role: Role) -> None:
        """Give its own role to its children."""
        self.then(self.as_role(node.children, scope, role))

    def leaf(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.items.append(self.text(node) or f"<missing {node.type}>")

    def skip(self, node: Node, scope: NameScope, role: Role) -> None:
        """Skip comments and the like."""

    def name(self, node: Node, scope: NameScope, role: Role) -> None:
        name = self.text(node)
        if role == "kept" or not name:
            self.leaf(node, scope, role)
            return
        if role in BINDING:
            scope.bind(name)
            if role == "parameter":
                scope.parameters.add(name)
        self.use(name, scope)

    def use(self, name: str, scope: NameScope) -> None:
        self.items.append(scope.name(name))

    def parenthesised(self, node: Node, scope: NameScope, role: Role) -> None:
        self.then(self.as_role(node.children[1:-1], scope, role))

    def operator(self, node: Node, scope: NameScope, role: Role) -> None:
        self.enclosed(self.as_role(node.children, scope, "operand"), role)

    def enclosed(self, steps: Sequence[Step], role: Role) -> None:
        self.then(["(", *steps, ")"] if role == "operand" else steps)

    def postfix(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a call, an item or a member: an operator before it stands in parentheses."""
        del role
        first, *rest = node.children
        self.then([(first, scope, "operand"), *rest])

    def broken(self, node: Node, scope: NameScope, role: Role) -> None:
        """Keep the lines of a part that is not a program, or is a macro's, as they are.

        Its words stay as they are elsewhere, too.
        """
        del scope, role
        text = self.text(node)
        self.pinned.update(WORD.findall(text))
        self.items += [line.rstrip() for line in text.splitlines() if not line.isspace()]


def drop_last_comma(nodes: Sequence[Node], *, unless_first: bool = False) -> list[Node]:
    """Return the children of a list, without comments, continued lines and a comma before the closing bracket.

    Args:
        nodes: the children, with the brackets, if there are any.
        unless_first: leave the comma if there is no other, as in a tuple of one item.
    """
    listed = [node for node in nodes if node.type not in EXTRAS]
    ends_in_comma = len(listed) > len("(,)") and listed[-2].type == "," and listed[-1].type in CLOSING
    if ends_in_comma and (not unless_first or sum(node.type == "," for node in listed) > 1):
        del listed[-2]
    return listed
