"""C++ as far as it is text: literals, what the preprocessor does, and parts that are no program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from tree_sitter import Language, Node

from evograft.novelty._names import Scope
from evograft.novelty._walk import WORD, Handler, Role, Walk

MACRO_TOKEN = re.compile(
    r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
    r"|\w+|<<=|>>=|<=>|->\*|\.\.\.|##|::|->|\+\+|--|<<|>>|[-<>=!+*/%&|^]=|&&|\|\||\S"
)


@cache
def cpp() -> Language:
    import tree_sitter_cpp

    return Language(tree_sitter_cpp.language())


class CppText(Walk):
    """Macros and pragmas mention names that the tree does not: those stay as they are."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source, cpp())

    def broken(self, node: Node, scope: Scope, role: Role) -> None:
        """A macro that stands for no expression breaks valid programs too; line ends mean something to directives only."""
        text = self.text(node)
        if "#" in text:
            super().broken(node, scope, role)
            return
        self.pinned.update(WORD.findall(text))
        self.items += MACRO_TOKEN.findall(text)

    def _number(self, node: Node, scope: Scope, role: Role) -> None:
        del scope, role
        self.items.append(self.text(node).lower().replace("'", ""))

    def _directive(self, node: Node, scope: Scope, role: Role) -> None:
        """Its text names variables that the tree does not, such as `sum` in `reduction(+:sum)`."""
        del role
        name = node.child_by_field_name("name")
        if name:
            scope.kept.add(self.text(name))
        self._pin_words(node)
        parts = [child for child in node.children if child.type != "\n"]
        self.then([*self.as_role(parts, scope, "kept"), "<newline>"])

    def _pin_words(self, node: Node) -> None:
        parameters = node.child_by_field_name("parameters")
        own = set(WORD.findall(self.text(parameters))) if parameters else set()
        for child in node.children:
            if child.type == "preproc_arg":
                text = self.text(child)
                self.pins_all |= node.type == "preproc_function_def" and "#" in text
                self.pinned.update(set(WORD.findall(text)) - own)

    def _macro_text(self, node: Node, scope: Scope, role: Role) -> None:
        del scope, role
        self.items += MACRO_TOKEN.findall(self.text(node).replace("\\\n", " "))

    def _directive_name(self, node: Node, scope: Scope, role: Role) -> None:
        """`#  pragma` is `#pragma`."""
        del scope, role
        self.items.append("".join(self.text(node).split()))

    def _line_end(self, node: Node, scope: Scope, role: Role) -> None:
        del node, scope, role
        self.items.append("<newline>")

    leaves: ClassVar[Mapping[str, Handler]] = {
        "\n": _line_end,
        "ERROR": broken,
        "comment": Walk.skip,
        "identifier": Walk.name,
        "number_literal": _number,
        "preproc_arg": _macro_text,
        "preproc_directive": _directive_name,
        "translation_unit": Walk.skip,
        "type_identifier": Walk.name,
    }
    handlers: ClassVar[Mapping[str, Handler]] = {
        "ERROR": broken,
        "char_literal": Walk.leaf,
        "preproc_call": _directive,
        "preproc_def": _directive,
        "preproc_function_def": _directive,
        "preproc_include": _directive,
        "preproc_params": Walk.through,
        "raw_string_literal": Walk.leaf,
        "string_literal": Walk.leaf,
    }
