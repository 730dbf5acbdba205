"""A message of a model, read from its start to its end: what is a call, and what is prose, code, reasoning or a quotation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice

from evograft_agent.calls.json_text import JsonError, decode
from evograft_agent.calls.tool_calls import CallRequest
from evograft_agent.xml.collector import LIMIT, CallCollector
from evograft_agent.xml.element import Element, read_element
from evograft_agent.xml.json_calls import JsonCall, find_calls, find_meant_tool
from evograft_agent.xml.patterns import build_event_pattern
from evograft_agent.xml.scanner import OpeningTag, Scanner
from evograft_agent.xml.tool_forms import ToolForm
from evograft_hookspecs import LlmAnswer

WRAPPERS = ("tool_calls", "tool_call", "tool_use", "function_calls", "function_call", "tools", "calls")
"""Elements that models put around calls; they mean nothing."""
THINKING = ("think", "thinking")
"""Elements that hold reasoning."""

_ASIDES = {"<!--": "-->", "<![CDATA[": "]]>"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_TICKS = re.compile(r"`++")
_PARAGRAPH_END = re.compile(r"\n[ \t]*+(?:\n|`{3}|~{3})")
_BETWEEN = re.compile(rf"(?:\s++|<\s*+/?+\s*+(?i:{'|'.join(WRAPPERS)})\s*+>|<\?xml[^<>]*+>)*+")
_MALFORMED = re.compile(r"[^<>=]*+=[^<>]*+>")
_LIST_ITEM = re.compile(r"\s*+(?:[-*+•]|[0-9]++[.)])\s")
_TAIL = re.compile(r"[\s`~]*+\Z")


class MessageParser:
    """Reads one answer, once."""

    def __init__(self, answer: LlmAnswer, forms: Mapping[str, ToolForm]) -> None:
        self.page = Scanner(answer.text)
        self.cut = answer.finish == "length"
        self.forms = forms
        self.asking = CallCollector(forms)
        self._tried = 0
        self._unclosed: set[str] = set()
        self._block_quote_end = 0

    def read(self) -> tuple[CallRequest, ...]:
        """Goes from event to event: each says where it ends, and the text between them is prose."""
        readers: Mapping[str, Callable[[re.Match[str]], int]] = {
            "fence": self._fence,
            "ticks": self._ticks,
            "block_quote": self._block_quote,
            "aside": self._aside,
            "thinking": self._thinking,
            "thought": self._thought,
            "tag": self._tag,
            "stranger": self._stranger,
            "stranger_in_prose": self._stranger,
            "json": self._json,
            "applied": self._applied,
        }
        events, at = build_event_pattern(self.forms, self._parameters()), 0
        while not self.asking.full and (event := events.search(self.page.text, at)) is not None:
            at = readers[str(event.lastgroup)](event)
        return self.asking.all()

    # -- what holds no calls ------------------------------------------------------------------------------------------

    def _aside(self, event: re.Match[str]) -> int:
        if event["aside"] in self._unclosed:
            return event.end()
        end = self.page.text.find(_ASIDES[event["aside"]], event.end())
        if end < 0:
            self._unclosed.add(event["aside"])
        return max(end, event.end())

    def _block_quote(self, event: re.Match[str]) -> int:
        end = self.page.text.find("\n", event.end())
        self._block_quote_end = len(self.page.text) if end < 0 else end
        return event.end()

    def _ticks(self, event: re.Match[str]) -> int:
        """A code span ends at as many backticks as it began with, in the same paragraph."""
        runs = self._runs[len(event["ticks"])]
        index = bisect_right(runs, event.start())
        if index == len(runs) or _PARAGRAPH_END.search(self.page.text, event.end(), runs[index]):
            return event.end()
        return runs[index] + len(event["ticks"])

    @cached_property
    def _runs(self) -> dict[int, list[int]]:
        runs: dict[int, list[int]] = {}
        for match in _TICKS.finditer(self.page.text):
            runs.setdefault(len(match[0]), []).append(match.start())
        return runs

    def _thinking(self, event: re.Match[str]) -> int:
        """Reasoning ends at its first closing tag; one that is never closed takes the rest, if it begins a line."""
        name = event["thinking"]
        end = self._thinking_end(name, event.end())
        if end is not None:
            return end
        if not self.page.begins_line(event.start()):
            return event.end()
        if not self.asking:  # else only what would have come next is missing
            self.asking.refuse(
                f"<{name}> is never closed, so all that follows is read as reasoning: write </{name}> where the"
                " reasoning ends, and the call after it"
            )
        return len(self.page.text)

    def _thinking_end(self, name: str, at: int) -> int | None:
        """Where reasoning ends; models that were taught two forms open it by one name and close it by the other."""
        names = sorted(THINKING, key=lambda each: each != name.lower())
        closings = (self.page.closings.first(each, at) for each in names)
        return next((closing[1] for closing in closings if closing is not None), None)

    def _thought(self, event: re.Match[str]) -> int:
        """A closing tag alone: the model's template had opened the reasoning before the answer began."""
        self.asking.take_back()
        return event.end()

    # -- code blocks --------------------------------------------------------------------------------------------------

    def _fence(self, event: re.Match[str]) -> int:
        """A code block: calls if it holds nothing else but reasoning, and otherwise code."""
        text, mark = self.page.text, event["fence"]
        closing = rf"{mark[0]}{{{len(mark)},}}+[ \t]*+\r?$"
        ended = re.compile(rf"^[ \t]*+{closing}", re.MULTILINE).search(text, event.end())
        end = ended.end() if ended else len(text)
        start = text.find("\n", event.end())
        before = len(self.asking)
        if start < 0 or self._tried > LIMIT:
            return end
        after = self._only_calls(start, re.compile(closing, re.MULTILINE))
        if after is not None:
            return after
        self._tried += len(self.asking) > before
        self.asking.take_back(but=before)
        return end

    def _only_calls(self, at: int, closing: re.Pattern[str]) -> int | None:
        """Where a code block ends that holds calls and nothing else; `None`: it holds something else, or nothing."""
        found = 0
        while True:
            between = _BETWEEN.match(self.page.text, at)
            at = between.end() if between else at
            reasoning = self.page.opening(at)
            if reasoning and reasoning.key in THINKING and (end := self._thinking_end(reasoning.key, reasoning.end)):
                at = end
                continue
            ended = closing.match(self.page.text, at)
            if ended or at == len(self.page.text) or self.asking.full:
                return (ended.end() if ended else at) if found else None
            following = self._call(at)
            if following is None:
                return None
            found, at = found + 1, following

    def _call(self, at: int) -> int | None:
        """Reads the call that stands at a place, and says where it ends."""
        if self.page.text[at] in "{[":
            before = len(self.asking)
            end = self._json_at(at)
            return end if len(self.asking) > before else None
        tag = self.page.opening(at)
        form = self.forms.get(tag.name.lower()) if tag else None
        return self._element(read_element(self.page, tag, form), form) if tag and form else None

    # -- calls --------------------------------------------------------------------------------------------------------

    def _tag(self, event: re.Match[str]) -> int:
        tag = self.page.opening(event.start())
        if tag is None:
            return self._broken_tag(event)
        form = self.forms.get(tag.name.lower())
        if form is None:
            return self._unknown(tag)
        if not self._is_call(tag, form):
            return tag.end
        quoted = self._quoted_end(tag)
        return self._element(read_element(self.page, tag, form), form) if quoted is None else quoted

    def _broken_tag(self, event: re.Match[str]) -> int:
        """A tag that the message ends in, or one whose attributes are none; else no tag."""
        text, form = self.page.text, self.forms.get(event["tag"].lower())
        if form is None:
            return event.end()
        if malformed := _MALFORMED.match(text, event.end()):
            closing = self.page.closings.first(form.tool.name, malformed.end())
            end = malformed.end() if closing is None else closing[1]
            return self._element(Element(end, fault="its tag holds something else than attributes in quotes"), form)
        if text.find("<", event.end()) >= 0 or text.find(">", event.end()) >= 0:
            return event.end()
        return self._element(Element(len(text), fault="its tag is never closed", closed=False), form)

    def _is_call(self, tag: OpeningTag, form: ToolForm) -> bool:
        """Whether a tag of a tool begins a call: in prose, it may be the tool's name only."""
        at = self.page.skip(tag.end)
        child = self.page.opening(at)
        if tag.alone or tag.attributes or self.page.text.startswith("{", at):
            return True
        if child is not None and child.name.lower() in form.parameters:
            return True
        closing = self.page.closings.first(tag.key, tag.end)
        if closing is not None:
            return not self.page.opens(tag.key, tag.end, closing[0])
        return self.page.begins_line(tag.start) and (at == len(self.page.text) or "\n" in self.page.text[tag.end : at])

    def _quoted_end(self, tag: OpeningTag) -> int | None:
        """Where an element ends that is quoted: in a block quote, between quotation marks, or as indented code."""
        closing = self.page.closings.first(tag.key, tag.end)
        end = tag.end if tag.alone or closing is None else closing[1]
        mark = _QUOTES.get(self.page.text[tag.start - 1 : tag.start])
        between_marks = mark is not None and self.page.text.startswith(mark, end)
        quoted = tag.start < self._block_quote_end or between_marks or self._is_indented_code(tag.start)
        return end if quoted else None

    def _is_indented_code(self, at: int) -> bool:
        """Whether a place is indented as Markdown indents code: below an empty line, and not within a list."""
        text, start = self.page.text, at
        while start and text[start - 1] in " \t":
            start -= 1
        if "    " not in text[start:at].expandtabs(4) or not text.endswith(("\n\n", "\n\r\n"), 0, start):
            return False
        before = start - 1
        while before and text[before].isspace():
            before -= 1
        return not _LIST_ITEM.match(text, text.rfind("\n", 0, before) + 1)

    def _element(self, element: Element, form: ToolForm) -> int:
        fault = element.fault
        if self.cut and (not element.closed or (form.rest and not _TAIL.match(self.page.text, element.end))):
            fault = "the answer reached its greatest length and was cut off in this call; write a shorter one"
        self.asking.ask(JsonCall(form.tool.name, element.given, fault))
        return element.end

    def _unknown(self, tag: OpeningTag) -> int:
        """An element of another vendor's form: it names a tool that does not exist, or stands around JSON."""
        if tag.name.lower() != tag.key:
            return self._no_tool(tag)
        at = self.page.skip(tag.end)
        return self._json_at(at) if self.page.text[at : at + 1] in {"{", "["} else tag.end

    def _stranger(self, event: re.Match[str]) -> int:
        """An element named like a tool or with a tool's parameter: a call if both are closed, else markup."""
        start = self.page.text.index("<", event.start())
        tag = self.page.opening(start)
        if tag is None or tag.name.lower() in self.forms or self.page.closings.first(tag.key, tag.end) is None:
            return start + 1
        child = self.page.opening(self.page.skip(tag.end))
        if child is None or child.name.lower() in self.forms or not self.page.closings.first(child.key, child.end):
            return tag.end
        quoted = self._quoted_end(tag)
        return self._no_tool(tag) if quoted is None else quoted

    def _parameters(self) -> set[str]:
        """What all tools' parameters are called, but free text: HTML has a <summary>."""
        return {key for form in self.forms.values() for key in form.parameters if key not in form.rest}

    def _no_tool(self, tag: OpeningTag) -> int:
        closing = self.page.closings.first(tag.key, tag.end)
        self.asking.ask(JsonCall(tag.name))
        return closing[1] if closing else len(self.page.text)

    # -- calls in JSON ------------------------------------------------------------------------------------------------

    def _json(self, event: re.Match[str]) -> int:
        return self._json_at(event.start("json"))

    def _applied(self, event: re.Match[str]) -> int:
        """The form `tool{"name": value}`, with or without round brackets."""
        try:
            value, end = decode(self.page.text, self.page.text.index("{", event.end()))
        except JsonError as broken:
            self.asking.ask(JsonCall(event["applied"], fault=f"its arguments are no JSON: {broken}"))
            return broken.end
        self.asking.ask(JsonCall(event["applied"], tuple(value.items())))
        return end

    def _json_at(self, at: int) -> int:
        """Reads the JSON that stands at a place, and says where it ends, be it a call or not."""
        if self._tried > LIMIT:
            return at + 1
        before = len(self.asking)
        try:
            value, end = decode(self.page.text, at)
        except JsonError as broken:
            self._tried += 1
            if tool := find_meant_tool(self.page.text, at, self.forms):
                self.asking.ask(JsonCall(tool, fault=f"it is no JSON: {broken}"))
            return broken.end
        calls = find_calls(value, {name: form.schemas for name, form in self.forms.items()})
        for call in islice(calls, LIMIT + 1):
            self.asking.ask(call)
        self._tried += len(self.asking) == before
        return end
