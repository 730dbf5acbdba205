"""Python: formatting, comments, docstrings and the names of locals go; blocks stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tree_sitter import Node

from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.python_expressions import PythonExpressions
from evograft_novelty.tokens.python_layout import is_laid_out
from evograft_novelty.tokens.walk import EXTRAS, WORD, Handler, Role, Step, TokenWalk, drop_last_comma

NO_STATEMENTS = EXTRAS | {";", "pass_statement"}


class PythonWalk(PythonExpressions):
    """Statements, and what opens a scope."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._reads_docstrings = b"__doc__" in source

    # -- statements ---------------------------------------------------------------------------------------------------

    def _module(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.then([*([] if is_laid_out(node, self._source) else ["<misplaced>"]), *self._statements(node)])

    def _block(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.then(["<indent>", *self._statements(node), "<dedent>"])

    def _statements(self, node: Node) -> list[Step]:
        steps: list[Step] = []
        for child in node.children:
            if child.type not in NO_STATEMENTS and (self._reads_docstrings or not _is_docstring(child)):
                steps += (child, "<newline>")
        return steps

    def _if(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read `elif` as an `else` with an `if` in its block."""
        del scope, role
        steps: list[Step] = []
        depth = 0
        for child in node.children:
            if child.type == "elif_clause":
                depth += 1
                steps += ("else", ":", "<indent>", "if", *child.children[1:])
            else:
                steps.append(child)
        self.then([*steps, *depth * ("<newline>", "<dedent>")])

    def _assignment(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        target, *rest = node.children
        # `(x): int` is an annotation that no class and no module remembers.
        is_silent = target.type == "tuple_pattern" and rest[0].type == ":"
        steps: list[Step] = ["(", (target, scope, "target"), ")"] if is_silent else [(target, scope, "target")]
        self.then([*steps, *self.as_role(rest, scope, "value")])

    def _return(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        self.then(self.as_role(node.children, scope, "value"))

    def _decorator(self, node: Node, scope: NameScope, role: Role) -> None:
        """End a decorator with its line: what follows may begin with an `@` that multiplies."""
        del scope, role
        self.then([*node.children, "<newline>"])

    def _for(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a loop, or a clause of a comprehension; the first clause's source is evaluated outside of it."""
        source_scope = scope.parent if role == "first" and scope.parent else scope
        inside: tuple[NameScope, Role] = scope, "target"
        steps: list[Step] = []
        for child in node.children:
            if child.type == "in":
                inside = source_scope, "value"
            steps.append((child, *inside))
        self.then(steps)

    def _as(self, node: Node, scope: NameScope, role: Role) -> None:
        *value, target = node.children
        self.then([*self.as_role(value, scope, role), (target, scope, "target")])

    def _with_clause(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.then([child for child in drop_last_comma(node.children) if child.type not in ("(", ")")])

    def _global(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        scope.kept.update(WORD.findall(self.text(node)))
        self.then(node.children)

    def _nonlocal(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        scope.free.update(WORD.findall(self.text(node)))
        self.then(node.children)

    def _import(self, node: Node, scope: NameScope, role: Role) -> None:
        """Keep the name of what is imported, also if it is imported by a function."""
        del role
        scope.kept.update(WORD.findall(self.text(node)))
        children = [child for child in drop_last_comma(node.children) if child.type not in ("(", ")")]
        self.then(self.as_role(children, scope, "kept"))

    # -- scopes -------------------------------------------------------------------------------------------------------

    def _function(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        inner = scope.inner()
        places: dict[str, tuple[NameScope, Role]] = {
            "identifier": (scope, "target"),
            "parameters": (inner, "parameter"),
            "block": (inner, "plain"),
        }
        self.then([(child, *places.get(child.type, (scope, "plain"))) for child in node.children])

    def _lambda(self, node: Node, scope: NameScope, role: Role) -> None:
        inner = scope.inner()
        places: dict[str, Role] = {"lambda_parameters": "parameter"}
        self.enclosed([(child, inner, places.get(child.type, "plain")) for child in node.children], role)

    def _parameters(self, node: Node, scope: NameScope, role: Role) -> None:
        self.then(self.as_role(drop_last_comma(node.children), scope, role))

    def _parameter(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a parameter with a default or an annotation, which are evaluated outside of the function."""
        name, *rest = node.children
        self.then([(name, scope, role), *self.as_role(rest, scope.parent or scope, "plain")])

    def _class(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        inner = NameScope(scope, hidden=True)
        places: dict[str, tuple[NameScope, Role]] = {"identifier": (scope, "target"), "block": (inner, "plain")}
        children = [child for child in node.children if child.type != "argument_list" or child.named_child_count]
        self.then([(child, *places.get(child.type, (scope, "plain"))) for child in children])

    def _comprehension(self, node: Node, scope: NameScope, role: Role) -> None:
        del role
        inner = scope.inner(comprehension=True)
        steps: list[Step] = []
        clause: Role = "first"
        for child in node.children:
            if child.type == "for_in_clause":
                steps.append((child, inner, clause))
                clause = "plain"
            else:
                steps.append((child, inner, "plain"))
        self.then(steps)

    handlers: ClassVar[Mapping[str, Handler]] = {
        **PythonExpressions.handlers,
        "as_pattern": _as,
        "as_pattern_target": TokenWalk.through,
        "assignment": _assignment,
        "augmented_assignment": _assignment,
        "block": _block,
        "class_definition": _class,
        "decorator": _decorator,
        "default_parameter": _parameter,
        "delete_statement": _return,
        "dictionary_comprehension": _comprehension,
        "for_in_clause": _for,
        "for_statement": _for,
        "function_definition": _function,
        "future_import_statement": _import,
        "generator_expression": _comprehension,
        "global_statement": _global,
        "if_statement": _if,
        "import_from_statement": _import,
        "import_statement": _import,
        "lambda": _lambda,
        "lambda_parameters": TokenWalk.through,
        "list_comprehension": _comprehension,
        "module": _module,
        "nonlocal_statement": _nonlocal,
        "parameters": _parameters,
        "return_statement": _return,
        "set_comprehension": _comprehension,
        "typed_default_parameter": _parameter,
        "typed_parameter": _parameter,
        "with_clause": _with_clause,
    }


def _is_docstring(node: Node) -> bool:
    """Return whether a statement is nothing but strings, which are not run."""
    if node.type != "expression_statement" or node.child_count != 1:
        return False
    (value,) = node.children
    strings = value.children if value.type == "concatenated_string" else [value]
    return all(
        string.type == "string" and all(part.type != "interpolation" for part in string.children) for string in strings
    )
