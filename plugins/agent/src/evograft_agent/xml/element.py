"""One element that calls a tool: its parameters as pairs of name and value, or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from evograft_agent.calls.json_text import JsonError, decode
from evograft_agent.xml.scanner import OpeningTag, Scanner
from evograft_agent.xml.tool_forms import ToolForm
from evograft_hookspecs.values import Json

CDATA = "<![CDATA["
CDATA_END = "]]>"
# How CDATA holds its own end: the section ends in the middle of it, and another one continues.
SPLIT_END = f"]]{CDATA_END}{CDATA}>"

TRIED = 100
"""How many closing tags are tried as the end of one value, and how many parameters are read. A value with more closing
tags has to be written in CDATA."""


@dataclass(frozen=True)
class Element:
    """The content of an element that names a tool."""

    end: int
    given: tuple[tuple[str, Json], ...] = ()
    fault: str = ""
    closed: bool = True


class ElementError(ValueError):
    """An element that is not a call; the message is for the model."""


def read_element(scanner: Scanner, tag: OpeningTag, form: ToolForm) -> Element:
    """Read the element that a tag opens, to its end, or to the end of the message if it is never closed."""
    body = _Body(scanner, tag, form)
    try:
        return body.read()
    except ElementError as broken:
        given = tuple(body.given)
        closing = scanner.closing_tags.find_first(tag.key, tag.end)
        if closing is None:
            return Element(len(scanner.text), given, fault=f"<{tag.name}> is never closed", closed=False)
        return Element(closing[1], given, fault=str(broken))


class _Body:
    """Reads along the parameters of an element."""

    def __init__(self, scanner: Scanner, tag: OpeningTag, form: ToolForm) -> None:
        self.scanner = scanner
        self.tag = tag
        self.form = form
        self.given: list[tuple[str, Json]] = list(tag.attributes)

    def read(self) -> Element:
        at = self.tag.end
        while (end := self.find_end(at)) is None:
            if len(self.given) > TRIED:
                raise ElementError(f"it has more than {TRIED} parameters")
            at = self._read_parameter(self.scanner.skip(at))
        return Element(end, tuple(self.given))

    def find_end(self, at: int) -> int | None:
        """Return where the element ends, if nothing but its end follows."""
        return at if self.tag.is_self_closing else self.scanner.find_closing_end(self.tag.key, self.scanner.skip(at))

    def _read_parameter(self, at: int) -> int:
        if self.scanner.text.startswith("{", at):
            return self._read_json(at)
        child = self.scanner.read_opening(at)
        if child is None:
            raise ElementError("it holds text that stands in none of its parameters")
        if child.is_self_closing:
            self.given.append((child.name, ""))
            return child.end
        value, end = self._read_value(child)
        self.given.append((child.name, value))
        return end

    def _read_json(self, at: int) -> int:
        try:
            value, end = decode(self.scanner.text, at)
        except JsonError as broken:
            raise ElementError(f"its arguments are no JSON: {broken}") from broken
        self.given.extend(value.items())
        return end

    def _read_value(self, child: OpeningTag) -> tuple[str, int]:
        text, start = self.scanner.text, self.scanner.skip(child.end)
        if text.startswith(CDATA, start):
            closing = self.scanner.cdata_closing_tags.find_first(child.key, start)
            if closing is None:
                raise ElementError(f"the CDATA section of <{child.name}> is never closed")
            return text[start + len(CDATA) : closing[0]].replace(SPLIT_END, CDATA_END), closing[1]
        begin, end = self._find_last_end(child) if child.name.lower() in self.form.rest else self._find_plain_end(child)
        value = _strip_line_breaks(text[child.end : begin])
        return value.strip() if child.name.lower() in self.form.paths else value, end

    def _find_last_end(self, child: OpeningTag) -> tuple[int, int]:
        """Return the last closing tag in the message after which the call continues, if there is one."""
        ends = self.scanner.closing_tags.find_last(child.key, child.end, most=TRIED)
        if not ends:
            raise ElementError(f"<{child.name}> is never closed")
        return next((end for end in ends if self._continues(end[1])), ends[0])

    def _find_plain_end(self, child: OpeningTag) -> tuple[int, int]:
        """Return the first closing tag before that of the tool after which the call continues, else the very first.

        A value extends past its first closing tag only if that closes a tag in the value, and never past one that opens
        the same tool, which is rather a second call.
        """
        last = self.scanner.closing_tags.find_first(self.tag.key, child.end)
        if last is None:
            raise ElementError(f"<{self.tag.name}> is never closed")
        ends = self.scanner.closing_tags.find_between(child.key, child.end, last[0], most=TRIED)
        if not ends:
            raise ElementError(f"<{child.name}> is not closed by </{child.name}>")
        within = next((index for index, end in enumerate(ends) if self._continues(end[1])), 0)
        stretch = child.end, ends[within][0]
        whole = self.scanner.is_balanced(child.key, *stretch, closed=within) and not self.scanner.has_opening(
            self.tag.key, *stretch
        )
        return ends[within] if whole else ends[0]

    def _continues(self, at: int) -> bool:
        """Return whether the call ends at a place, or another of its parameters opens."""
        if self.find_end(at) is not None:
            return True
        following = self.scanner.read_opening(self.scanner.skip(at))
        return following is not None and self._is_parameter(following)

    def _is_parameter(self, child: OpeningTag) -> bool:
        return child.name.lower() in self.form.parameters


def _strip_line_breaks(value: str) -> str:
    """Return the value without the line break after its opening tag and the one before its closing tag."""
    head, line_break, rest = value.partition("\n")
    if line_break and not head.strip():
        value = rest
    head, line_break, tail = value.rpartition("\n")
    return head.removesuffix("\r") if line_break and not tail.strip() else value
