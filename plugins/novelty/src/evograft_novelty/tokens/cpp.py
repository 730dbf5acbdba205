"""C++: formatting, comments and the names of variables in functions go; macros, templates, types, members stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from evograft_novelty.tokens.cpp_declarations import DECLARATORS, CppDeclarations
from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.walk import Handler, Role, Step, TokenWalk, drop_last_comma


class CppWalk(CppDeclarations):
    """Statements, names and expressions."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        # `decltype((x))`, and with `decltype(auto)` `return (x);`, mean something else without the parentheses.
        self._parentheses_matter = b"decltype" in source

    # -- statements ---------------------------------------------------------------------------------------------------

    def _conditional(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a loop or a condition: its statement stands in braces, whether the text has them or not."""
        del role
        self.then([scope.inner(), *self._braced(node), scope])

    def _if(self, node: Node, scope: NameScope, role: Role) -> None:
        """Open a scope only if the condition needs one.

        In a long chain of `else if` all would lie inside one another.
        """
        condition = node.child_by_field_name("condition")
        if condition and any(child.type in ("declaration", "init_statement") for child in condition.children):
            self._conditional(node, scope, role)
        else:
            self.then(self._braced(node))

    def _range_loop(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read `for (auto x : x)`: the second is that of outside, unless the loop has a statement before it."""
        del role
        inner = scope.inner()
        types = {child.type for child in node.children}
        source = node.child_by_field_name("right")
        steps: list[Step] = []
        for step in self._braced(node):
            if isinstance(step, str):
                steps.append(step)
            elif source and step.id == source.id:
                steps.append((step, inner if "init_statement" in types else scope, "plain"))
            else:
                steps.append((step, inner, "target" if step.type in DECLARATORS else "plain"))
        self.then(steps)

    def _else(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.then([step for child in node.children for step in (_in_braces(child) if child.is_named else [child])])

    def _braced(self, node: Node) -> list[Node | str]:
        body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
        steps: list[Node | str] = []
        for child in node.children:
            steps += _in_braces(child) if body and child.id == body.id else [child]
        return steps

    # -- names and expressions ----------------------------------------------------------------------------------------

    def _qualified(self, node: Node, scope: NameScope, role: Role) -> None:
        """Keep the name behind `::`: it is not a local, though a local may have its name."""
        del role
        *scopes, name = node.children
        self.then([*scopes, (name, scope, "kept")])

    def _template(self, node: Node, scope: NameScope, role: Role) -> None:
        name, *rest = node.children
        self.then([(name, scope, role), *rest])

    def _parenthesised(self, node: Node, scope: NameScope, role: Role) -> None:
        """Keep the parentheses of `(f)(x)`, which does not call a macro."""
        if self._parentheses_matter or self.text(node.children[1]) in self.macros:
            self.then(node.children)
        else:
            self.parenthesised(node, scope, role)

    def _call(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a call; what a macro makes text of counts as it is written."""
        function, arguments = node.children[0], node.children[-1]
        if self.pins_all and self.text(function) in self.macros:
            self.items += [self.text(function), self.text(arguments)]
        else:
            self.postfix(node, scope, role)

    def _comma(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        self.operator(node, scope, "operand")

    def _list(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.then(drop_last_comma(node.children))

    handlers: ClassVar[Mapping[str, Handler]] = {
        **CppDeclarations.handlers,
        "assignment_expression": TokenWalk.operator,
        "binary_expression": TokenWalk.operator,
        "call_expression": _call,
        "cast_expression": TokenWalk.operator,
        "co_await_expression": TokenWalk.operator,
        "comma_expression": _comma,
        "conditional_expression": TokenWalk.operator,
        "delete_expression": TokenWalk.operator,
        "do_statement": _conditional,
        "else_clause": _else,
        "enumerator_list": _list,
        "field_expression": TokenWalk.postfix,
        "for_range_loop": _range_loop,
        "for_statement": _conditional,
        "if_statement": _if,
        "initializer_list": _list,
        "new_expression": TokenWalk.operator,
        "parenthesized_expression": _parenthesised,
        "pointer_expression": TokenWalk.operator,
        "qualified_identifier": _qualified,
        "sizeof_expression": TokenWalk.operator,
        "subscript_expression": TokenWalk.postfix,
        "template_function": _template,
        "template_type": _template,
        "unary_expression": TokenWalk.operator,
        "update_expression": TokenWalk.operator,
        "while_statement": _if,
    }


def _in_braces(node: Node) -> list[Node | str]:
    return [node] if node.type in ("comment", "compound_statement") else ["{", node, "}"]
