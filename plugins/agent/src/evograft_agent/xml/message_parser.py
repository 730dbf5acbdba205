"""A message of a model, read from start to end: what is a call, and what is prose, code, reasoning or a quotation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice

from evograft_agent.calls.json_text import JsonError, decode
from evograft_agent.calls.tool_calls import CallRequest
from evograft_agent.xml.collector import LIMIT, CallCollector
from evograft_agent.xml.element import Element, read_element
from evograft_agent.xml.json_calls import JsonCall, find_calls, find_meant_tool
from evograft_agent.xml.patterns import build_event_pattern
from evograft_agent.xml.quotations import Quotations
from evograft_agent.xml.scanner import OpeningTag, Scanner
from evograft_agent.xml.tool_forms import ToolForm
from evograft_hookspecs import LlmAnswer

WRAPPERS = ("tool_calls", "tool_call", "tool_use", "function_calls", "function_call", "tools", "calls")
"""Elements that models put around calls; they mean nothing."""
THINKING = ("think", "thinking")
"""Elements that hold reasoning."""

_BETWEEN = re.compile(rf"(?:\s++|<\s*+/?+\s*+(?i:{'|'.join(WRAPPERS)})\s*+>|<\?xml[^<>]*+>)*+")
_MALFORMED = re.compile(r"[^<>=]*+=[^<>]*+>")
_TAIL = re.compile(r"[\s`~]*+\Z")


class MessageParser:
    """Reads one answer, once."""

    def __init__(self, answer: LlmAnswer, forms: Mapping[str, ToolForm]) -> None:
        self.scanner = Scanner(answer.text)
        self.cut = answer.finish == "length"
        self.forms = forms
        self._calls = CallCollector(forms)
        self._tried = 0
        self._quotations = Quotations(self.scanner)

    def read(self) -> tuple[CallRequest, ...]:
        """Go from event to event: each says where it ends, and the text between them is prose."""
        readers: Mapping[str, Callable[[re.Match[str]], int]] = {
            "fence": self._fence,
            "ticks": self._quotations.skip_code_span,
            "block_quote": self._quotations.skip_block_quote,
            "aside": self._quotations.skip_aside,
            "thinking": self._thinking,
            "thought": self._thought,
            "tag": self._tag,
            "unknown_element": self._unknown_element,
            "unknown_element_in_prose": self._unknown_element,
            "json": self._json,
            "applied": self._applied,
        }
        events, at = build_event_pattern(self.forms, self._parameters()), 0
        while not self._calls.is_full and (event := events.search(self.scanner.text, at)) is not None:
            at = readers[str(event.lastgroup)](event)
        return self._calls.get_all()

    # -- what holds no calls ------------------------------------------------------------------------------------------

    def _thinking(self, event: re.Match[str]) -> int:
        """Skip reasoning, which ends at its first closing tag.

        Reasoning that is never closed takes the rest, if it begins a line.
        """
        name = event["thinking"]
        end = self._thinking_end(name, event.end())
        if end is not None:
            return end
        if not self.scanner.begins_line(event.start()):
            return event.end()
        if not self._calls:  # else only what would have come next is missing
            self._calls.add_error(
                f"<{name}> is never closed, so all that follows is read as reasoning: write </{name}> where the"
                " reasoning ends, and the call after it"
            )
        return len(self.scanner.text)

    def _thinking_end(self, name: str, at: int) -> int | None:
        """Return where reasoning ends.

        Models that were taught two forms open it by one name and close it by the other.
        """
        names = sorted(THINKING, key=lambda each: each != name.lower())
        closing_tags = (self.scanner.closing_tags.find_first(each, at) for each in names)
        return next((closing[1] for closing in closing_tags if closing is not None), None)

    def _thought(self, event: re.Match[str]) -> int:
        """Drop the calls before a closing tag that stands alone.

        The model's template had opened the reasoning before the answer began.
        """
        self._calls.discard()
        return event.end()

    # -- code blocks --------------------------------------------------------------------------------------------------

    def _fence(self, event: re.Match[str]) -> int:
        """Read a code block: as calls if it holds nothing but calls and reasoning, otherwise as code."""
        text, mark = self.scanner.text, event["fence"]
        closing = rf"{mark[0]}{{{len(mark)},}}+[ \t]*+\r?$"
        ended = re.compile(rf"^[ \t]*+{closing}", re.MULTILINE).search(text, event.end())
        end = ended.end() if ended else len(text)
        start = text.find("\n", event.end())
        before = len(self._calls)
        if start < 0 or self._tried > LIMIT:
            return end
        after = self._only_calls(start, re.compile(closing, re.MULTILINE))
        if after is not None:
            return after
        self._tried += len(self._calls) > before
        self._calls.discard(but=before)
        return end

    def _only_calls(self, at: int, closing: re.Pattern[str]) -> int | None:
        """Return where a code block ends that holds calls and nothing else.

        `None`: it holds something else, or nothing.
        """
        found = 0
        while True:
            between = _BETWEEN.match(self.scanner.text, at)
            at = between.end() if between else at
            reasoning = self.scanner.read_opening(at)
            if reasoning and reasoning.key in THINKING and (end := self._thinking_end(reasoning.key, reasoning.end)):
                at = end
                continue
            ended = closing.match(self.scanner.text, at)
            if ended or at == len(self.scanner.text) or self._calls.is_full:
                return (ended.end() if ended else at) if found else None
            following = self._call(at)
            if following is None:
                return None
            found, at = found + 1, following

    def _call(self, at: int) -> int | None:
        """Read the call that stands at an offset, and return where it ends."""
        if self.scanner.text[at] in "{[":
            before = len(self._calls)
            end = self._json_at(at)
            return end if len(self._calls) > before else None
        tag = self.scanner.read_opening(at)
        form = self.forms.get(tag.name.lower()) if tag else None
        return self._element(read_element(self.scanner, tag, form), form) if tag and form else None

    # -- calls --------------------------------------------------------------------------------------------------------

    def _tag(self, event: re.Match[str]) -> int:
        tag = self.scanner.read_opening(event.start())
        if tag is None:
            return self._broken_tag(event)
        form = self.forms.get(tag.name.lower())
        if form is None:
            return self._unknown(tag)
        if not self._is_call(tag, form):
            return tag.end
        quoted = self._quotations.find_quoted_end(tag)
        return self._element(read_element(self.scanner, tag, form), form) if quoted is None else quoted

    def _broken_tag(self, event: re.Match[str]) -> int:
        """Read a tag that the message ends in, or one whose attributes are malformed; anything else is not a tag."""
        text, form = self.scanner.text, self.forms.get(event["tag"].lower())
        if form is None:
            return event.end()
        if malformed := _MALFORMED.match(text, event.end()):
            closing = self.scanner.closing_tags.find_first(form.tool.name, malformed.end())
            end = malformed.end() if closing is None else closing[1]
            return self._element(Element(end, fault="its tag holds something else than attributes in quotes"), form)
        if text.find("<", event.end()) >= 0 or text.find(">", event.end()) >= 0:
            return event.end()
        return self._element(Element(len(text), fault="its tag is never closed", closed=False), form)

    def _is_call(self, tag: OpeningTag, form: ToolForm) -> bool:
        """Return whether a tag of a tool begins a call: in prose, it may be the tool's name only."""
        at = self.scanner.skip(tag.end)
        child = self.scanner.read_opening(at)
        if tag.is_self_closing or tag.attributes or self.scanner.text.startswith("{", at):
            return True
        if child is not None and child.name.lower() in form.parameters:
            return True
        closing = self.scanner.closing_tags.find_first(tag.key, tag.end)
        if closing is not None:
            return not self.scanner.has_opening(tag.key, tag.end, closing[0])
        return self.scanner.begins_line(tag.start) and (
            at == len(self.scanner.text) or "\n" in self.scanner.text[tag.end : at]
        )

    def _element(self, element: Element, form: ToolForm) -> int:
        fault = element.fault
        if self.cut and (not element.closed or (form.rest and not _TAIL.match(self.scanner.text, element.end))):
            fault = "the answer reached its greatest length and was cut off in this call; write a shorter one"
        self._calls.add(JsonCall(form.tool.name, element.given, fault))
        return element.end

    def _unknown(self, tag: OpeningTag) -> int:
        """Read an element of another vendor's form: it names a tool that does not exist, or stands around JSON."""
        if tag.name.lower() != tag.key:
            return self._no_tool(tag)
        at = self.scanner.skip(tag.end)
        return self._json_at(at) if self.scanner.text[at : at + 1] in {"{", "["} else tag.end

    def _unknown_element(self, event: re.Match[str]) -> int:
        """Read an element named like a tool or with a tool's parameter: a call if both are closed, else markup."""
        start = self.scanner.text.index("<", event.start())
        tag = self.scanner.read_opening(start)
        if (
            tag is None
            or tag.name.lower() in self.forms
            or self.scanner.closing_tags.find_first(tag.key, tag.end) is None
        ):
            return start + 1
        child = self.scanner.read_opening(self.scanner.skip(tag.end))
        if (
            child is None
            or child.name.lower() in self.forms
            or not self.scanner.closing_tags.find_first(child.key, child.end)
        ):
            return tag.end
        quoted = self._quotations.find_quoted_end(tag)
        return self._no_tool(tag) if quoted is None else quoted

    def _parameters(self) -> set[str]:
        """Return the names of all tools' parameters except free text: HTML has a <summary>."""
        return {key for form in self.forms.values() for key in form.parameters if key not in form.rest}

    def _no_tool(self, tag: OpeningTag) -> int:
        closing = self.scanner.closing_tags.find_first(tag.key, tag.end)
        self._calls.add(JsonCall(tag.name))
        return closing[1] if closing else len(self.scanner.text)

    # -- calls in JSON ------------------------------------------------------------------------------------------------

    def _json(self, event: re.Match[str]) -> int:
        return self._json_at(event.start("json"))

    def _applied(self, event: re.Match[str]) -> int:
        """Read the form `tool{"name": value}`, with or without round brackets."""
        try:
            value, end = decode(self.scanner.text, self.scanner.text.index("{", event.end()))
        except JsonError as broken:
            self._calls.add(JsonCall(event["applied"], fault=f"its arguments are no JSON: {broken}"))
            return broken.end
        self._calls.add(JsonCall(event["applied"], tuple(value.items())))
        return end

    def _json_at(self, at: int) -> int:
        """Read the JSON that stands at an offset, and return where it ends, whether it is a call or not."""
        if self._tried > LIMIT:
            return at + 1
        before = len(self._calls)
        try:
            value, end = decode(self.scanner.text, at)
        except JsonError as broken:
            self._tried += 1
            if tool := find_meant_tool(self.scanner.text, at, self.forms):
                self._calls.add(JsonCall(tool, fault=f"it is no JSON: {broken}"))
            return broken.end
        calls = find_calls(value, {name: form.schemas for name, form in self.forms.items()})
        for call in islice(calls, LIMIT + 1):
            self._calls.add(call)
        self._tried += len(self._calls) == before
        return end
