"""C++ as far as it is text: literals, what the preprocessor does, and parts that are not a program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from tree_sitter import Language, Node

from evograft_novelty.tokens.names import NameScope
from evograft_novelty.tokens.walk import WORD, Handler, Role, TokenWalk

MACRO_TOKEN = re.compile(
    r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
    r"|\w+|<<=|>>=|<=>|->\*|\.\.\.|##|::|->|\+\+|--|<<|>>|[-<>=!+*/%&|^]=|&&|\|\||\S"
)

KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm bitand bitor break case catch class compl const_cast continue decltype default
    delete do dynamic_cast else enum explicit export for friend goto if namespace new not not_eq operator or or_eq
    private protected public reinterpret_cast requires return sizeof static_assert static_cast struct switch
    template this throw try typedef typeid typename union using virtual while xor xor_eq
    """.split()  # noqa: SIM905 - a word per line would hide the list
)
"""Words that the grammar takes for a name in some places, and no compiler does."""
DEEPEST_INDENT = 200
"""Bytes; a longer line is not looked at to its beginning, so that many directives on one line take bounded time."""
CONDITIONS = ("#if", "#ifdef", "#ifndef", "#elif", "#elifdef", "#elifndef", "#else", "#endif")
SIGNS = ("+", "-")


@cache
def read_cpp() -> Language:
    import tree_sitter_cpp

    return Language(tree_sitter_cpp.language())


def splice_lines(source: bytes) -> bytes:
    """Return the source without line ends after backslashes: the grammar takes them for spaces, a compiler drops them.

    In raw strings they count, so programs with any stay as they are.
    """
    return source if b'R"' in source else source.replace(b"\\\n", b"")


class CppText(TokenWalk):
    """Macros and pragmas mention names that the tree does not: those stay as they are."""

    def __init__(self, source: bytes) -> None:
        super().__init__(splice_lines(source), read_cpp())
        self.macros: set[str] = set()
        """Macros with parameters."""

    def broken(self, node: Node, scope: NameScope, role: Role) -> None:
        """Keep the lines of a part that is not a program.

        A macro that does not stand for an expression breaks valid programs too; line ends mean something to directives
        only.
        """
        text = self.text(node)
        if "#" in text:
            super().broken(node, scope, role)
            return
        self.pinned.update(WORD.findall(text))
        self.items += MACRO_TOKEN.findall(text)

    def name(self, node: Node, scope: NameScope, role: Role) -> None:
        if self.text(node) in KEYWORDS:
            self.items += ["<name>", self.text(node)]
        else:
            super().name(node, scope, role)

    def _number(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a number: the grammar takes the sign of `-1` as a part of it, and that of `- 1` as an operator."""
        del scope
        text = self.text(node).lower().replace("'", "")
        if text.startswith(SIGNS):
            self.enclosed([text[0], text[1:]], role)
        else:
            self.items.append(text)

    def _directive(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read a directive; its text names variables that the tree does not, such as `sum` in `reduction(+:sum)`."""
        del role
        name = node.child_by_field_name("name")
        if name:
            scope.kept.add(self.text(name))
        if name and node.type == "preproc_function_def":
            self.macros.add(self.text(name))
        self._pin_words(node)
        if not self._is_line(node):
            self.items.append("<misplaced>")
        parts = [child for child in node.children if child.type != "\n"]
        self.then([*self.as_role(parts, scope, "kept"), "<newline>"])

    def _is_line(self, node: Node) -> bool:
        """Return whether it begins its line and ends with it, which the grammar does not ask for."""
        return self._begins_line(node) and "\n" not in self.text(node).replace("\\\n", "").rstrip("\n")

    def _begins_line(self, node: Node) -> bool:
        start = node.start_byte
        return not self._source[max(0, start - DEEPEST_INDENT) : start].rpartition(b"\n")[2].strip()

    def _condition(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.items += [node.type] if self._begins_line(node) else ["<misplaced>", node.type]

    def _macro_parameters(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read parameters: `A(x)` has one, and the text that `A` stands for in `A (x)` is `(x)`."""
        self.items.append("<parameters>")
        self.through(node, scope, role)

    def _pin_words(self, node: Node) -> None:
        parameters = node.child_by_field_name("parameters")
        own = set(WORD.findall(self.text(parameters))) if parameters else set()
        for child in node.children:
            if child.type == "preproc_arg":
                text = self.text(child)
                self.pins_all |= node.type == "preproc_function_def" and "#" in text
                self.pinned.update(set(WORD.findall(text)) - own)

    def _macro_text(self, node: Node, scope: NameScope, role: Role) -> None:
        del scope, role
        self.items += MACRO_TOKEN.findall(self.text(node).replace("\\\n", " "))

    def _directive_name(self, node: Node, scope: NameScope, role: Role) -> None:
        """Read `#  pragma` as `#pragma`."""
        del scope, role
        self.items.append("".join(self.text(node).split()))

    def _line_end(self, node: Node, scope: NameScope, role: Role) -> None:
        del node, scope, role
        self.items.append("<newline>")

    leaves: ClassVar[Mapping[str, Handler]] = {
        "\n": _line_end,
        **dict.fromkeys(CONDITIONS, _condition),
        "ERROR": broken,
        "comment": TokenWalk.skip,
        "identifier": name,
        "number_literal": _number,
        "preproc_arg": _macro_text,
        "preproc_directive": _directive_name,
        "translation_unit": TokenWalk.skip,
        "type_identifier": name,
    }
    handlers: ClassVar[Mapping[str, Handler]] = {
        "ERROR": broken,
        "char_literal": TokenWalk.leaf,
        "preproc_call": _directive,
        "preproc_def": _directive,
        "preproc_function_def": _directive,
        "preproc_include": _directive,
        "preproc_params": _macro_parameters,
        "raw_string_literal": TokenWalk.leaf,
        "string_literal": TokenWalk.leaf,
    }
