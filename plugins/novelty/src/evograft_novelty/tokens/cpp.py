"""C++: formatting, comments and the names of variables in functions go; macros, templates, types, members stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from evograft_novelty.tokens.cpp_text import CppText
from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.walk import Handler, Role, Step, TokenWalk, drop_last_comma

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


class CppWalk(CppText):
    """Names are looked up where they stand, since one may be declared after another of the same name was used."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        # `decltype((x))`, and with `decltype(auto)` `return (x);`, mean something else without the parentheses.
        self._parentheses_matter = b"decltype" in source

    def use(self, name: str, scope: NameScope) -> None:
        home = None if self.pins_all else scope.home(name)
        self.items.append(home.name(name) if home else name)

    # -- scopes -------------------------------------------------------------------------------------------------------

    def _scope(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        self.within(scope.inner(), node.children, scope)

    def _function(self, node: Node, scope: NameScope, role: Role) -> None:
        """A function or a lambda: its own name stays, its parameters are seen by its body."""
        del role
        self.then(self.as_role(node.children, scope.inner(), "kept"))

    def _capture(self, node: Node, scope: NameScope, role: Role) -> None:
        """`[x = x]`: the second is that of the function around the lambda."""
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
        """A name with a size or a value behind it."""
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
        """`T a(n);` in a function: the grammar sees a function's declaration, people a variable if `n` is one."""
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

    # -- statements ---------------------------------------------------------------------------------------------------

    def _conditional(self, node: Node, scope: NameScope, role: Role) -> None:
        """A loop or a condition: its statement stands in braces, whether the text has them or not."""
        del role
        self.then([scope.inner(), *self._braced(node), scope])

    def _if(self, node: Node, scope: NameScope, role: Role) -> None:
        """It opens a scope if it needs one only: in a long chain of `else if` all would lie inside one another."""
        condition = node.child_by_field_name("condition")
        if condition and any(child.type in ("declaration", "init_statement") for child in condition.children):
            self._conditional(node, scope, role)
        else:
            self.then(self._braced(node))

    def _range_loop(self, node: Node, scope: NameScope, role: Role) -> None:
        """`for (auto x : x)`: the second is that of outside, unless the loop has a first statement of its own."""
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
        """What stands behind `::` is no local, though a local may have its name."""
        del role
        *scopes, name = node.children
        self.then([*scopes, (name, scope, "kept")])

    def _template(self, node: Node, scope: NameScope, role: Role) -> None:
        name, *rest = node.children
        self.then([(name, scope, role), *rest])

    def _parenthesised(self, node: Node, scope: NameScope, role: Role) -> None:
        """`(f)(x)` calls no macro."""
        if self._parentheses_matter or self.text(node.children[1]) in self.macros:
            self.then(node.children)
        else:
            self.parenthesised(node, scope, role)

    def _call(self, node: Node, scope: NameScope, role: Role) -> None:
        """What a macro makes text of counts as it is written."""
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
        **CppText.handlers,
        "abstract_function_declarator": _abstract_declarator,
        "array_declarator": _declarator,
        "assignment_expression": TokenWalk.operator,
        "attributed_declarator": TokenWalk.through,
        "binary_expression": TokenWalk.operator,
        "call_expression": _call,
        "cast_expression": TokenWalk.operator,
        "catch_clause": _scope,
        "co_await_expression": TokenWalk.operator,
        "comma_expression": _comma,
        "compound_statement": _scope,
        "conditional_expression": TokenWalk.operator,
        "declaration": _declaration,
        "delete_expression": TokenWalk.operator,
        "do_statement": _conditional,
        "else_clause": _else,
        "enumerator": _enumerator,
        "enumerator_list": _list,
        "field_expression": TokenWalk.postfix,
        "for_range_loop": _range_loop,
        "for_statement": _conditional,
        "function_declarator": _function_declarator,
        "function_definition": _function,
        "if_statement": _if,
        "init_declarator": _declarator,
        "initializer_list": _list,
        "lambda_capture_initializer": _capture,
        "lambda_expression": _function,
        "new_expression": TokenWalk.operator,
        "optional_parameter_declaration": _declaration,
        "parameter_declaration": _declaration,
        "parenthesized_declarator": TokenWalk.through,
        "parenthesized_expression": _parenthesised,
        "pointer_declarator": TokenWalk.through,
        "pointer_expression": TokenWalk.operator,
        "qualified_identifier": _qualified,
        "reference_declarator": TokenWalk.through,
        "sizeof_expression": TokenWalk.operator,
        "structured_binding_declarator": TokenWalk.through,
        "subscript_expression": TokenWalk.postfix,
        "switch_statement": _scope,
        "template_function": _template,
        "template_type": _template,
        "unary_expression": TokenWalk.operator,
        "update_expression": TokenWalk.operator,
        "variadic_declarator": TokenWalk.through,
        "variadic_parameter_declaration": _declaration,
        "while_statement": _if,
    }


def _in_braces(node: Node) -> list[Node | str]:
    return [node] if node.type in ("comment", "compound_statement") else ["{", node, "}"]
