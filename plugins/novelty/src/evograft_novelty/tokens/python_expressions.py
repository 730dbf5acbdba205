"""Python's expressions and patterns, without what a formatter may change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tree_sitter import Node

from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.python_literals import PythonLiterals
from evograft_novelty.tokens.walk import BINDING, EXTRAS, Handler, Role, Step, TokenWalk, drop_last_comma

REFLECTIVE = re.compile(rb"(?<![.\w])(dir|eval|exec|locals|vars)\s*\(")
"""Where one of these is called, the names of locals may be part of what the program does."""


class PythonExpressions(PythonLiterals):
    """Names are looked up at the end, because a function's assignment makes a name local to all of it."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._keywords: set[str] = set()
        self.pins_all = REFLECTIVE.search(source) is not None

    def is_kept(self, scope: NameScope, name: str) -> bool:
        """Keep names of parameters that may be passed by keyword, and those in text of unknown meaning."""
        by_keyword = name in self._keywords and name in scope.parameters
        return by_keyword or super().is_kept(scope, name)

    # -- names --------------------------------------------------------------------------------------------------------

    def _attribute(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        value, *rest = node.children
        self.then([(value, scope, "operand"), *[self.text(child) for child in rest if child.type not in EXTRAS]])

    def _keyword_argument(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        name, *rest = node.children
        self._keywords.add(self.text(name))
        self.then([self.text(name), *rest])

    def _walrus(self, node: Node, scope: NameScope, role: Role) -> None:
        """Bind the name in the function around all comprehensions."""
        target = scope
        while target.comprehension and target.parent:
            target = target.parent
        name, *rest = node.children
        self.enclosed([(name, target, "target"), *rest], role)

    # -- operators and lists ------------------------------------------------------------------------------------------

    def _yield(self, node: Node, scope: NameScope, role: Role) -> None:
        """Enclose a `yield`, which binds weaker than everything inside it."""
        self.enclosed(self.as_role(node.children, scope, "value"), role)

    def _subscript(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        value, *rest = drop_last_comma(node.children, unless_first=True)
        is_tuple = any(child.type == "," for child in rest)
        self.then([(value, scope, "operand"), *self.as_role(rest, scope, "plain" if is_tuple else "value")])

    def _type_arguments(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.then(drop_last_comma(node.children, unless_first=True))

    def _list(self, node: Node, scope: NameScope, role: Role) -> None:
        self.then(self._items(drop_last_comma(node.children), scope, role))

    def _arguments(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read `f((x for x in y))` as `f(x for x in y)`."""
        children = drop_last_comma(node.children)
        is_generator = [child.type for child in children[1:-1]] == ["generator_expression"]
        self.then(self._items(children[1:-1] if is_generator else children, scope, role))

    def _tuple(self, node: Node, scope: NameScope, role: Role) -> None:
        children = drop_last_comma(node.children, unless_first=True)
        types = {child.type for child in children}
        is_grouping = role != "parameter" and "," not in types and len(children) > len(("(", ")"))
        is_bare = is_grouping or (role in ("value", "target") and "," in types)
        self.then(self._items(children[1:-1] if is_bare else children, scope, role))

    def _open_tuple(self, node: Node, scope: NameScope, role: Role) -> None:
        children = [child for child in node.children if child.type not in EXTRAS]
        if children[-1].type == "," and len(children) > len(("item", ",")):
            del children[-1]
        self.then(self._items(children, scope, role))

    def _items(self, nodes: Sequence[Node], scope: NameScope, role: Role) -> Sequence[Step]:
        if role in BINDING:
            return self.as_role(nodes, scope, "item")
        return self.as_role(nodes, scope, role) if role == "case" else nodes

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _case(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        self.then(self.as_role(node.children, scope, "case"))

    def _dotted_name(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a module, a value that is matched, or a name that catches what is there."""
        first, *rest = node.children
        first_role: Role = "target" if role == "case" and not rest else role
        self.then([(first, scope, first_role), *self.as_role(rest, scope, "kept")])

    def _class_pattern(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        name, *rest = drop_last_comma(node.children)
        self.then([name, *self.as_role(rest, scope, "case")])

    def _keyword_pattern(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        name, *rest = node.children
        self.then([(name, scope, "kept"), *self.as_role(rest, scope, "case")])

    def _splat_pattern(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        self.then(self.as_role(node.children, scope, "target"))

    leaves: ClassVar[Mapping[str, Handler]] = {
        **PythonLiterals.leaves,
        "ERROR": TokenWalk.broken,
        "comment": TokenWalk.skip,
        "identifier": TokenWalk.name,
        "line_continuation": TokenWalk.skip,
        "module": TokenWalk.skip,
    }
    handlers: ClassVar[Mapping[str, Handler]] = {
        **PythonLiterals.handlers,
        "ERROR": TokenWalk.broken,
        "argument_list": _arguments,
        "attribute": _attribute,
        "await": TokenWalk.operator,
        "binary_operator": TokenWalk.operator,
        "boolean_operator": TokenWalk.operator,
        "call": TokenWalk.postfix,
        "case_pattern": _case,
        "class_pattern": _class_pattern,
        "comparison_operator": TokenWalk.operator,
        "conditional_expression": TokenWalk.operator,
        "dict_pattern": _list,
        "dictionary": _list,
        "dictionary_splat_pattern": TokenWalk.through,
        "dotted_name": _dotted_name,
        "expression_list": _open_tuple,
        "keyword_argument": _keyword_argument,
        "keyword_pattern": _keyword_pattern,
        "list": _list,
        "list_pattern": _list,
        "list_splat_pattern": TokenWalk.through,
        "named_expression": _walrus,
        "not_operator": TokenWalk.operator,
        "parenthesized_expression": TokenWalk.parenthesised,
        "pattern_list": _open_tuple,
        "set": _list,
        "splat_pattern": _splat_pattern,
        "subscript": _subscript,
        "tuple": _tuple,
        "tuple_pattern": _tuple,
        "unary_operator": TokenWalk.operator,
        "type_parameter": _type_arguments,
        "union_pattern": TokenWalk.through,
        "yield": _yield,
    }
