"""Laws of the reader, for any text."""

from pathlib import Path

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evograft_agent.calls.tool_calls import MalformedCall, ParsedCall
from evograft_agent.xml import XmlCalls
from evograft_hookspecs import FrozenDict, LlmAnswer, Tool

MESSAGES = Path(__file__).parent / "messages"
TOOLS = [Tool(**each) for each in yaml.safe_load((MESSAGES / "tools.yaml").read_text("utf-8"))]
EDIT = Tool(
    name="edit",
    description="Has a free text that is not its last parameter, one of its own name, and values of all types.",
    parameters={
        "type": "object",
        "properties": {
            "before": {"type": "string", "x-rest": True},
            "edit": {"type": "string"},
            "path": {"type": "string", "format": "path"},
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "all": {"type": "boolean"},
            "lines": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object"},
        },
    },
)

PIECES = (
    "<", ">", "/", "&lt;", "<![CDATA[", "]]>", "]]", "\n", "\r\n", " ", "```", "```xml\n", "\n```\n", "`", "~~~\n", "{", "[",
    "<think>", "</think>", "<THINKING>", "<!--", "-->", "<read_file>", "</read_file>", "<path>", "</path>", "<READ_FILE",
    "<complete>", "<summary>", "</summary>", "</complete>", "<edit>", "</edit>", "</before>", "<before>", "path='a'", "/>",
    '{"tool": "read_file", "parameters": {"path": "a"}}', "<tool_call>", "</tool_call>", "<invoke name='read_file'>", "<a_b>",
    "\n<x_y>\n<path>", "</a_b>", "read_file({", "prose", "\0", "é", "</parameter>", "<parameter=path>", "<function=search>",
    '"', "'", "\n> ", "\\", "]]></summary></complete>", "]]></pattern>", "]]></edit>", "]]]]><![CDATA[>",
)  # fmt: skip

LAW = settings(max_examples=200, deadline=None)

any_text = st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=25).map("".join)
any_path = any_text.filter(str.strip)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=5,
)


def read(text, tools=(*TOOLS, EDIT), finish="stop"):
    return XmlCalls().read(LlmAnswer(text=text, model="m", finish=finish), tools)


@LAW
@given(any_text, st.sampled_from(["stop", "length"]))
def test_no_text_raises(text, finish):
    for asked in read(text, finish=finish):
        assert isinstance(asked, ParsedCall | MalformedCall)


@LAW
@given(any_text)
@example("a]]></summary></complete>b")
@example("a]]]]><![CDATA[>b")
def test_a_summary_that_is_written_is_read_back(text):
    call = ParsedCall("complete", FrozenDict({"summary": text}))
    assert read(XmlCalls().write(call)) == (call,)


@LAW
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "before": any_text,
            "edit": any_text,
            "path": any_path,
            "count": st.integers(),
            "share": st.floats(allow_nan=False, allow_infinity=False),
            "all": st.booleans(),
            "lines": st.lists(any_text, max_size=3).map(tuple),
        },
    )
)
@example({"before": "", "edit": "", "path": "a"})
def test_a_call_that_is_written_is_read_back(arguments):
    call = ParsedCall("edit", FrozenDict(arguments))
    assert read(XmlCalls().write(call)) == (call,)


@LAW
@given(st.lists(st.tuples(any_text, any_path), min_size=1, max_size=4))
def test_calls_that_are_written_one_after_the_other_are_read_back_in_order(values):
    calls = tuple(ParsedCall("search", FrozenDict({"pattern": pattern, "path": path})) for pattern, path in values)
    assert read("\n".join(map(XmlCalls().write, calls))) == calls


@LAW
@given(any_text)
def test_reasoning_that_is_closed_asks_for_nothing(text):
    held = text.replace("</", "<")
    assert read(f"<think>{held}</think>") == ()


@LAW
@given(any_text)
def test_a_call_without_its_end_is_never_carried_out(text):
    written = XmlCalls().write(ParsedCall("complete", FrozenDict({"summary": text})))
    for cut in range(1, len("</complete>") + 1, 3):
        assert not any(isinstance(asked, ParsedCall) and asked.tool == "complete" for asked in read(written[:-cut]))
