"""Numbers by the tokens of a text, for languages without a grammar: comments and strings are passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from evograft_program.tuning.literals.notation import LITERAL, read_literal
from evograft_program.tuning.literals.placed import LiteralRole, PlacedLiteral
from evograft_program.tuning.literals.syntaxes import LanguageSyntax

BINDERS = ("=", ":=", "<-")
ENDS = ("\n", ";", ",", ")", "}", "]", "")
"""What may stand behind a value; empty: the end of the text."""
POWERS = ("**", "^")
SIGNS = ("+", "-")
LOOPS = ("for", "do")
"""What begins a loop's head, which ends with the line or at a brace: a counter's first value is not a choice."""


@dataclass(frozen=True)
class Token:
    """A word, number, string, operator or line end."""

    kind: str
    text: str
    start: int
    """Characters."""


KINDS = ("skipped", "range", "word", "number", "line", "mark")


def scan(text: str, syntax: LanguageSyntax) -> list[PlacedLiteral]:
    """Return the decimal numbers of a text, in order."""
    tokens = list(_tokens(text, syntax))
    found: list[PlacedLiteral] = []
    binder: int | None = None
    is_head = False
    offset = _ByteOffset(text)
    for place, token in enumerate(tokens):
        if token.kind == "line" or token.text in {";", "{"}:
            binder, is_head = None, is_head and token.text == ";"
        elif token.kind == "word" and token.text.lower() in LOOPS:
            is_head = True
        elif _binds(tokens, place):
            binder = place
        literal = read_literal(token.text) if token.kind == "number" else None
        if literal is not None:
            start = offset.at(token.start)
            role = _find_role(tokens, place, binder=None if is_head else binder)
            name = "" if binder is None else _name_before(tokens, binder)
            found.append(PlacedLiteral(start, start + len(token.text), literal, role, name))
    return found


class _ByteOffset:
    """Where characters of a text begin in UTF-8, asked for in ascending order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = self._bytes = 0

    def at(self, place: int) -> int:
        self._bytes += len(self._text[self._at : place].encode(errors="surrogatepass"))
        self._at = place
        return self._bytes


@cache
def _compile(skipped: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<skipped>{skipped})|(?P<range>\.{{2,}})|(?P<word>[^\W\d]\w*)|(?P<number>{LITERAL})|(?P<line>\n)"
        r"|(?P<mark>\*\*|:=|<-|=>|[=!<>+*/%&|^~-]=|::|[^\s\w])",
        re.DOTALL,
    )


def _tokens(text: str, syntax: LanguageSyntax) -> Iterator[Token]:
    """Yield what stands in a text but for blanks and comments; a string is one token."""
    for match in _compile(syntax.skipped).finditer(text):
        kind = next(name for name in KINDS if match[name] is not None)
        if match["skipped"] is None:
            yield Token(kind, match[0], match.start())
        elif match[0][-1] in "\"'`":
            yield Token("string", match[0], match.start())


def _find_role(tokens: Sequence[Token], place: int, *, binder: int | None) -> LiteralRole:
    """Return what a number is to the tokens around it.

    Args:
        tokens: of the whole text.
        place: the number's.
        binder: of the `=` that gives a name the value around it; `None`: there is none, or the name is a counter.
    """
    before, behind = place - 1, place + 1
    while before >= 0 and tokens[before].text in SIGNS:
        before -= 1
    while behind < len(tokens) and tokens[behind].text == ")" and _text_at(tokens, before) == "(":
        before, behind = before - 1, behind + 1
    if _text_at(tokens, before) in POWERS:
        return LiteralRole.EXPONENT
    is_whole = before == binder and _text_at(tokens, behind) in ENDS
    return LiteralRole.VALUE if is_whole else LiteralRole.TERM


def _text_at(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if 0 <= place < len(tokens) else ""


def _binds(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a token gives the value behind it to the name before it."""
    text = tokens[place].text
    if text in {":", "=>"}:
        is_key = _text_at(tokens, place - 2) in {"{", ",", "\n", "("}
        return is_key and tokens[place - 1].kind in {"word", "string"}
    return text in BINDERS


def _name_before(tokens: Sequence[Token], binder: int) -> str:
    """Return the last name before `=`, without the type in `x: float = `."""
    at = binder - 1
    if _text_at(tokens, at - 1) in {":", "::"}:
        at -= 2
    while at > 0 and tokens[at].kind == "mark":
        at -= 1
    words = re.findall(r"[^\W\d]\w*", tokens[at].text) if at >= 0 else []
    return words[-1] if words else ""
