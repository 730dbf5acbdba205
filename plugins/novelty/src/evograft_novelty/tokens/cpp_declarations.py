"""C++: what opens a scope, and what declares a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from evograft_novelty.tokens.cpp_text import CppText
from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.walk import Handler, Role, Step, TokenWalk

DECLARATORS = frozenset(
    {
        "array_declarator",
        "attributed_declarator",
        "function_declarator",
        "identifier",
        "init_declarator",
        "parenthesized_declarator",
        "pointer_declarator",
        "reference_declarator",
        "structured_binding_declarator",
        "variadic_declarator",
    }
)


class CppDeclarations(CppText):
    """Names are looked up where they stand, because one may be declared after another of the same name was used."""

    def use(self, name: str, scope: NameScope) -> None:
        home = None if self.pins_all else scope.home(name)
        self.items.append(home.name(name) if home else name)

    # -- scopes -------------------------------------------------------------------------------------------------------

    def _scope(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        self.within(scope.inner(), node.children, scope)

    def _function(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a function or a lambda: its own name stays, its parameters are seen by its body."""
        del role
        self.then(self.as_role(node.children, scope.inner(), "kept"))

    def _capture(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read `[x = x]`: the second is that of the function around the lambda."""
        del role
        name, *rest = node.children
        self.then([(name, scope, "target"), *self.as_role(rest, scope.parent or scope, "plain")])

    # -- declarations -------------------------------------------------------------------------------------------------

    def _declaration(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        steps: list[Step] = []
        is_value = False
        for child in node.children:
            is_value |= child.type == "="
            is_target = child.type in DECLARATORS and not is_value
            steps.append((child, scope, "target") if is_target else child)
            is_value &= child.type != ","
        self.then(steps)

    def _declarator(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a name with a size or a value behind it."""
        name, *rest = node.children
        self.then([(name, scope, role), *rest])

    def _function_declarator(self, node: Node, scope: NameScope, role: Role) -> None:
        name, *rest = node.children
        inside = scope
        if role == "target" and scope.local and name.type == "identifier":
            role = self._variable_or_function(node, name, scope)
        elif role == "target":
            inside = scope.inner()
        if role == "plain":
            inside = scope.inner()
        self.then([(name, scope, role), *self.as_role(rest, inside, "plain")])

    def _variable_or_function(self, node: Node, name: Node, scope: NameScope) -> Role:
        """Return the role of the name in `T a(n);` in a function.

        The grammar sees a function's declaration, people see a variable if `n` is one.
        """
        if not self.pins_all and self._mentions_variable(node, scope):
            return "target"
        scope.kept.add(self.text(name))
        return "plain"

    def _mentions_variable(self, node: Node, scope: NameScope) -> bool:
        todo = [node]
        while todo:
            part = todo.pop()
            if part.type == "type_identifier" and scope.knows(self.text(part)):
                return True
            todo += part.children
        return False

    def _abstract_declarator(self, node: Node, scope: NameScope, role: Role) -> None:
        self.then(self.as_role(node.children, scope if role == "kept" else scope.inner(), "plain"))

    def _enumerator(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        name, *rest = node.children
        scope.kept.add(self.text(name))
        self.then([(name, scope, "kept"), *rest])

    handlers: ClassVar[Mapping[str, Handler]] = {
        **CppText.handlers,
        "abstract_function_declarator": _abstract_declarator,
        "array_declarator": _declarator,
        "attributed_declarator": TokenWalk.through,
        "catch_clause": _scope,
        "compound_statement": _scope,
        "declaration": _declaration,
        "enumerator": _enumerator,
        "function_declarator": _function_declarator,
        "function_definition": _function,
        "init_declarator": _declarator,
        "lambda_capture_initializer": _capture,
        "lambda_expression": _function,
        "optional_parameter_declaration": _declaration,
        "parameter_declaration": _declaration,
        "parenthesized_declarator": TokenWalk.through,
        "pointer_declarator": TokenWalk.through,
        "reference_declarator": TokenWalk.through,
        "structured_binding_declarator": TokenWalk.through,
        "switch_statement": _scope,
        "variadic_declarator": TokenWalk.through,
        "variadic_parameter_declaration": _declaration,
    }
