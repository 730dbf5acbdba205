"""What a model is shown of a tool's form, and what of its text reaches the tool."""

import pytest

from evograft_agent.calls.tool_calls import ParsedCall
from evograft_agent.xml import XmlCalls
from evograft_code_explainer.plugin import CodeExplainerPlugin
from evograft_hookspecs import FrozenDict, LlmAnswer

TOOLS = {tool.name: tool for tool in CodeExplainerPlugin.manifest.tools}


def read(text):
    return XmlCalls().read(LlmAnswer(text=text, model="m"), tuple(TOOLS.values()))


@pytest.mark.parametrize(
    "form",
    [
        "<list_file>\n<path>directory</path>",
        "<read_file>\n<path>file</path>",
        "<complete>\n<summary>what was found</summary>",
    ],
)
def test_the_form_of_a_call_is_the_specified_one(form):
    assert any(XmlCalls().describe(tool).startswith(form) for tool in TOOLS.values())


def test_a_summary_reaches_to_its_last_end_and_keeps_calls_that_it_shows():
    summary = "It reads:\n<read_file><path>a</path></read_file>\n<summary>inner</summary> and a < b &lt; c"
    (call,) = read(f"<complete><summary>{summary}</summary></complete>")
    assert call == ParsedCall("complete", FrozenDict({"summary": summary}))


def test_blanks_around_a_path_mean_nothing():
    (call,) = read("<read_file>\n<path>\n  src/a b.py \n</path>\n</read_file>")
    assert call.arguments["path"] == "src/a b.py"


@pytest.mark.parametrize("tool", TOOLS)
def test_each_form_is_read_as_a_call_of_its_tool(tool):
    (call,) = read(XmlCalls().describe(TOOLS[tool]))
    assert call.tool == tool
