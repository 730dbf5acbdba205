"""What a model is told about calls that are none, and how calls are written."""

import sys
from pathlib import Path

import pytest
import yaml

from evograft_agent.calls.tool_calls import MalformedCall, ParsedCall
from evograft_agent.xml import XmlCalls
from evograft_agent.xml.collector import LIMIT
from evograft_hookspecs import FrozenDict, LlmAnswer, Tool

MESSAGES = Path(__file__).parent / "messages"
TOOLS = {each["name"]: Tool(**each) for each in yaml.safe_load((MESSAGES / "tools.yaml").read_text("utf-8"))}
READ_FILE = "<read_file>\n<path>file</path>\n<start>1</start>\n<end>1</end>\n</read_file>"


def read(text, finish="stop"):
    return XmlCalls().read(LlmAnswer(text=text, model="m", finish=finish), tuple(TOOLS.values()))


def error(text, finish="stop"):
    (asked,) = read(text, finish)
    assert isinstance(asked, MalformedCall)
    return asked.error


def test_a_tool_is_described_by_the_form_of_the_specification():
    described = XmlCalls().describe(TOOLS["list_file"])
    assert described == "<list_file>\n<path>directory</path>\n<recursive>true</recursive>\n</list_file>"
    assert XmlCalls().describe(TOOLS["complete"]) == "<complete>\n<summary>what was found</summary>\n</complete>"


def test_the_form_of_each_tool_is_a_call_of_it_when_alternatives_are_chosen():
    for tool in TOOLS.values():
        (asked,) = read(XmlCalls().describe(tool).replace("all|class|function", "all"))
        assert isinstance(asked, ParsedCall)
        assert asked.tool == tool.name


def test_plain_values_are_written_as_they_are_and_others_in_cdata():
    write = XmlCalls().write
    plain = ParsedCall("search", FrozenDict({"pattern": "a && b > c", "path": "src"}))
    assert write(plain) == "<search>\n<pattern>a && b > c</pattern>\n<path>src</path>\n</search>"
    assert "<pattern><![CDATA[a < b]]></pattern>" in write(ParsedCall("search", FrozenDict({"pattern": "a < b"})))
    assert "<pattern><![CDATA[ a]]></pattern>" in write(ParsedCall("search", FrozenDict({"pattern": " a"})))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<read_file></read_file>", "read_file: parameter 'path' is missing."),
        ("<read_file>a.py</read_file>", "read_file: it holds text that stands in none of its parameters."),
        ("<read_file><file>a</file></read_file>", "there is no parameter 'file'; known: end, path, start"),
        ("<read_file><pth>a</pth></read_file>", "there is no parameter 'pth'; did you mean 'path'?"),
        ("<read_file><path>a</path><path>b</path></read_file>", "parameter 'path' is given twice."),
        ("<read_file><path>a</path><start>one</start></read_file>", "'start': 'one' is not of type 'integer'."),
        ("<read_file><path>a</path><start>0</start></read_file>", "'start': 0 is less than the minimum of 1."),
        ("<outline><path>a</path><kind>x</kind></outline>", "'kind': 'x' is not one of ['all', 'class', 'function']."),
        ("<list_file><path>a</path><recursive>2</recursive></list_file>", "'recursive': '2' is not of type 'boolean'."),
        ("<read_file>\n<path>a", "read_file: <read_file> is never closed."),
        ("<read_file>\n<path>a</read_file>", "read_file: <path> is not closed by </path>."),
        ("<complete><summary>a</complete>", "complete: <summary> is never closed."),
        ("<search><pattern><![CDATA[a</pattern></search>", "the CDATA section of <pattern> is never closed."),
        ('<read_file>{"path": }</read_file>', "read_file: its arguments are no JSON: Expecting value."),
        ('{"tool": "read_file", "parameters": ["a.py"]}', "read_file: its arguments are no JSON object."),
        ("{'tool': 'read_file'}", "read_file: it is no JSON: "),
        ('read_file({"path": "a.py"', "read_file: its arguments are no JSON: "),
    ],
)
def test_the_model_is_told_what_is_wrong_and_how_it_is_written(text, said):
    told = error(text)
    assert said in told
    tool = told.partition(":")[0]
    assert told.endswith(f" It is written like this:\n{XmlCalls().describe(TOOLS[tool])}")
    assert "?." not in told


@pytest.mark.parametrize(
    "text",
    [
        "<read_files><path>a</path></read_files>",
        "<read_file></read_file>",
        "<read_file><path> </path></read_file>",
        "<read_file><path>a</path><pth>b</pth></read_file>",
        "<read_file path='a'><path>b</path></read_file>",
        "<read_file><path>a</path><start>one</start></read_file>",
        "<read_file>a.py</read_file>",
        "<read_file><path>a</read_file>",
        "<read_file><path>a</path>",
        "<read_file path='a' start>",
    ],
)
def test_the_page_shows_what_the_model_is_told(text):
    page = (Path(__file__).parents[4] / "docs" / "agent-calls.md").read_text("utf-8")
    told = error(text).partition(" It is written like this:")[0].removesuffix(".")
    assert f"`{told.removeprefix('read_file: ')}`" in page


def test_everything_that_is_wrong_with_a_call_is_said_at_once():
    told = error("<read_file><file>a</file><start>x</start></read_file>")
    assert "there is no parameter 'file'" in told
    assert "parameter 'path' is missing" in told


def test_an_unknown_tool_is_named_with_those_that_are_near():
    assert read("<read_files>\n<path>a</path>\n</read_files>") == (
        MalformedCall("there is no tool 'read_files'; did you mean 'read_file'?", "read_files"),
    )


def test_an_answer_at_its_greatest_length_is_told_that_it_was_cut_off():
    assert "reached its greatest length and was cut off" in error("<complete>\n<summary>It be", finish="length")
    assert "is never closed" in error("<complete>\n<summary>It be", finish="stop")


def test_a_whole_call_at_the_end_of_an_answer_of_greatest_length_is_carried_out():
    (asked,) = read("<complete>\n<summary>Short.</summary>\n</complete>\n", finish="length")
    assert asked == ParsedCall("complete", FrozenDict({"summary": "Short."}))


def test_a_long_wrong_value_is_not_told_in_full():
    assert len(error(f"<read_file><path>a</path><start>{'x' * 10_000}</start></read_file>")) < 500


def test_reasoning_that_is_never_closed_is_told_with_how_it_is_closed():
    told = error("<think>\nI would <read_file><path>a</path></read_file>")
    assert "<think> is never closed" in told
    assert "write </think> where the reasoning ends" in told


def test_reasoning_that_is_never_closed_after_a_call_takes_nothing_back():
    (asked,) = read("<read_file><path>a</path></read_file>\n<thinking>\nNow the next")
    assert asked == ParsedCall("read_file", FrozenDict({"path": "a"}))


def test_reasoning_may_end_by_the_other_name():
    (asked,) = read("<think>\nFirst a.\n</thinking>\n<read_file><path>a</path></read_file>")
    assert asked == ParsedCall("read_file", FrozenDict({"path": "a"}))


def test_a_code_block_of_reasoning_and_a_call_is_the_call():
    (asked,) = read("```\n<thinking>\nFirst a.\n</thinking>\n<read_file>\n<path>a</path>\n</read_file>\n```")
    assert asked == ParsedCall("read_file", FrozenDict({"path": "a"}))


@pytest.mark.parametrize("blank", ["", " ", "\n\n", "\t"])
def test_a_path_of_nothing_is_told_as_such_also_where_it_may_be_left_out(blank):
    tool = Tool(
        name="list",
        description="Lists.",
        parameters={"type": "object", "properties": {"path": {"type": "string", "format": "path", "default": "."}}},
    )
    (asked,) = XmlCalls().read(LlmAnswer(text=f"<list>\n<path>{blank}</path>\n</list>", model="m"), (tool,))
    assert isinstance(asked, MalformedCall)
    assert "parameter 'path' is blank" in asked.error


def test_what_was_given_is_kept_with_what_is_wrong_with_it():
    (asked,) = read("<read_file>\n<path>a.py</path>\n<start>one</start>\n</read_file>")
    assert isinstance(asked, MalformedCall)
    assert (asked.tool, asked.given) == ("read_file", FrozenDict({"path": "a.py", "start": "one"}))


def test_a_form_holds_no_value_that_a_model_would_copy_unthinking():
    tool = Tool(
        name="read",
        description="Reads.",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string", "examples": ["file"]}, "line": {"type": "integer"}},
            "required": ["path"],
        },
    )
    assert XmlCalls().describe(tool) == "<read>\n<path>file</path>\n</read>"


def test_no_more_calls_are_read_than_anybody_writes():
    asked = read("<read_file><path>a</path></read_file>\n" * (LIMIT + 20))
    assert len(asked) == LIMIT + 1
    assert asked[-1] == MalformedCall(f"more than {LIMIT} calls in one message: the others were not read")


def test_a_parameter_may_be_called_like_its_tool():
    tool = Tool(
        name="search",
        description="Searches.",
        parameters={"type": "object", "properties": {"search": {"type": "string"}}, "required": ["search"]},
    )
    answer = LlmAnswer(text="<search><search>x</search></search>", model="m")
    assert XmlCalls().read(answer, [tool]) == (ParsedCall("search", FrozenDict({"search": "x"})),)


def test_a_tool_without_parameters_is_called_by_its_element():
    tool = Tool(name="now", description="Tells the time.")
    for text in ("<now></now>", "<now/>", '{"tool": "now", "parameters": {}}', "now({})"):
        assert XmlCalls().read(LlmAnswer(text=text, model="m"), [tool]) == (ParsedCall("now", FrozenDict()),)


def test_without_tools_nothing_is_asked_for():
    assert XmlCalls().read(LlmAnswer(text="<p>\n<b>Hello</b> `x` {", model="m"), ()) == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "read_file", "parameters": {"path": "\\ud800"}}',
        '{"tool": "read_file", "parameters": {"path": "a", "start": NaN}}',
        '{"tool": "read_file", "parameters": {"path": "a", "start": ' + "9" * 5000 + "}}",
        '{"tool": "read_file", "parameters": ' + '{"a":' * 50_000,
        '{"tool": "read_file", "parameters": ' + '{"a":' * 150 + "1" + "}" * 151,
    ],
    ids=["lone surrogate", "NaN", "digits", "open nesting", "closed nesting"],
)
def test_json_that_no_log_can_keep_is_no_call(text):
    (asked,) = read(text)
    assert isinstance(asked, MalformedCall)
    assert asked.tool == "read_file"


# -- what it costs ----------------------------------------------------------------------------------------------------


def steps(text):
    """How many functions are called, of Python and of C, while a message is read."""
    count = 0

    def step(_frame, event, _argument):
        nonlocal count
        count += event in {"call", "c_call"}

    read("<read_file><path>a</path></read_file>")
    sys.setprofile(step)
    try:
        read(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "piece",
    [
        "<read_file>", "<read_file>\n", "<read_file> x ", "<read_file><path>", "<complete><summary>", "</path>", "<x_y>", "<x_y>\n<z>",
        "<x_y>\n<z></z>\n</x_y>\n", "```\n", "```xml\n<read_file>\n<path>\n```\n", "````\n", "`", "` ", "{", "{\n", '{"name":\n', '["a"]\n',
        "<think>", "x <think>", "</think>", "<!--", "<![CDATA[", '"<read_file><path>a</path></read_file>" ', "\n> <read_file><path>a",
        '<read_file path="', "<invoke name='x'>", 'read_file({"a\n', "<tool_call>{", "<p>\n<b>x</b>\n",
        "<read_file/></think>", "<read_file/>\n", "<a1></a1>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", [("", ""), ("<read_file><path>", "</path></read_file>")])
def test_twice_the_message_takes_at_most_twice_the_steps(piece, around):
    head, tail = around
    once, twice = (steps(head + piece * count + tail) for count in (200, 400))
    assert twice <= 2.1 * once + 50
