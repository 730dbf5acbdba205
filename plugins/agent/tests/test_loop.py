"""The loop of an agent: what a message leads to, and how a task ends. The model is a script, the tools are counted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from evograft.errors import PluginError
from evograft_agent.consult import consult
from evograft_agent.conversations.conversation import Conversation
from evograft_agent.loop import Agent, AgentLimits, TaskEnd
from evograft_hookspecs import LlmAnswer, LlmRequest, Message, Tool, ToolResult

NOW = datetime(2026, 1, 2, tzinfo=UTC)
READ = Tool(
    name="read_file",
    description="Reads a file.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string", "description": "From the root"}, "lines": {"type": "integer"}},
        "required": ["path"],
    },
)
COMPLETE = Tool(
    name="complete",
    description="Ends the task.",
    parameters={"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
)


def read(path):
    return f"<read_file>\n<path>{path}</path>\n</read_file>"


def complete(summary):
    return f"<complete>\n<summary>{summary}</summary>\n</complete>"


@dataclass
class Script:
    """A model that says one line after the other, and keeps what it was asked."""

    lines: list[str | LlmAnswer]
    asked: list[LlmRequest] = field(default_factory=list)
    available = True

    def complete(self, request):
        self.asked.append(request)
        line = self.lines[len(self.asked) - 1]
        return line if isinstance(line, LlmAnswer) else LlmAnswer(text=line, model="script")


@dataclass
class Tools:
    """Tools that note their calls; a file called `missing` is not there, and a summary has to be one."""

    offered: tuple[Tool, ...] = (READ, COMPLETE)
    calls: list[object] = field(default_factory=list)

    def call(self, call):
        self.calls.append(call)
        value = next(iter(call.arguments.values()))
        if value in ("missing", ""):
            return ToolResult(ok=False, content=f"nothing called {value!r}")
        return ToolResult(ok=True, content=value if call.tool == "complete" else f"text of {value}")


@dataclass
class Ctx:
    llm: Script
    tools: Tools


@pytest.fixture
def work():
    """Lets an agent work on a question until it ends."""

    def work(*lines, ending="complete", tools=None, **limits):
        ctx = Ctx(Script(list(lines)), tools or Tools())
        asking = LlmRequest(messages=(Message(role="system", content="You read code."),), max_tokens=100)
        agent = Agent(ctx, asking, finish_tool=ending, limits=AgentLimits(**limits))
        conversation = Conversation(conversation_id="c").with_question("how?", at=NOW)
        while (ended := agent.find_end(conversation)) is None:
            conversation = agent.apply_response(conversation, agent.ask(conversation))
        return Worked(ctx, agent, conversation, ended)

    return work


@dataclass
class Worked:
    ctx: Ctx
    agent: Agent
    conversation: Conversation
    ended: TaskEnd
    shown: Callable = field(init=False)

    def __post_init__(self):
        self.shown = lambda step: self.ctx.llm.asked[step].messages[-1].content


def test_a_task_ends_with_the_summary_of_the_call_that_ends_it(work):
    done = work(read("a.py"), complete("It adds."))
    assert done.ended == TaskEnd("complete", "It adds.")
    assert [call.tool for call in done.ctx.tools.calls] == ["read_file", "complete"]


def test_the_model_reads_the_result_of_its_call(work):
    done = work(read("a.py"), complete("x"))
    assert done.shown(1) == '<result tool="read_file">\ntext of a.py\n</result>'


def test_calls_of_one_message_are_carried_out_in_their_order(work):
    done = work(f"{read('a')}\nand\n{read('b')}", complete("x"))
    (_, message, *_) = done.conversation.messages
    assert [use.result for use in message.tool_calls] == ["text of a", "text of b"]


def test_each_call_has_an_id_of_its_own(work):
    done = work(f"{read('a')}{read('b')}", read("a"), complete("x"))
    ids = [call.id for call in done.ctx.tools.calls]
    assert len(set(ids)) == len(ids)


def test_a_failed_tool_tells_the_model_why_and_the_task_goes_on(work):
    done = work(read("missing"), complete("x"))
    assert done.shown(1) == "<error tool=\"read_file\">\nnothing called 'missing'\n</error>"
    assert done.conversation.messages[1].tool_calls[0].error


def test_the_model_is_told_of_a_tool_that_breaks(work):
    class Breaking(Tools):
        def call(self, call):
            if call.tool == "read_file":
                raise PluginError("plugin 'files': hook tool_call raised OSError: a\udce9b, sk-0123456789abcdef")
            return super().call(call)

    done = work(read("a"), complete("x"), tools=Breaking())
    assert "hook tool_call raised OSError: a?b, ***" in done.shown(1)
    assert done.ended == TaskEnd("complete", "x")


def test_an_end_that_the_tool_refuses_is_none(work):
    assert work(complete(""), complete("It adds.")).ended == TaskEnd("complete", "It adds.")


def test_an_end_beside_other_calls_ends_nothing_before_their_results_were_seen(work):
    done = work(f"{read('a')}{complete('guessed')}", complete("seen"))
    assert done.ended == TaskEnd("complete", "seen")
    assert "complete was not carried out" in done.shown(1)
    assert "text of a" in done.shown(1)


def test_a_message_without_a_call_is_answered_with_how_to_call(work):
    done = work("I think it adds.", complete("x"))
    assert "called no tool" in done.shown(1)


def test_a_message_that_was_cut_before_its_call_is_told_to_be_brief(work):
    done = work(LlmAnswer(text="It is a long story", model="script", finish="length"), complete("x"))
    assert "cut at its greatest length" in done.shown(1)


def test_three_messages_in_a_row_that_cannot_be_read_end_the_task(work):
    done = work("a", read("x"), "b", "c", "d")
    assert done.ended.reason == "malformed"
    assert "called no tool" in done.ended.text


def test_a_task_ends_when_its_steps_are_used_up_and_the_model_is_warned_before(work):
    done = work(read("a"), read("b"), read("c"), steps=3)
    assert done.ended == TaskEnd("steps", "")
    assert "One step is left" not in done.shown(1)
    assert done.shown(2).endswith("One step is left. Call `complete` now, with what you know so far.")


def test_a_further_question_has_steps_of_its_own(work):
    done = work(read("a"), complete("x"), steps=2)
    assert done.agent.find_end(done.conversation.with_question("why?", at=NOW)) is None


def test_without_a_tool_that_ends_it_a_message_without_calls_is_the_answer(work):
    done = work(read("a"), "It adds.", ending="")
    assert done.ended == TaskEnd("complete", "It adds.")


def test_the_system_prompt_shows_each_tool_and_says_that_files_are_data(work):
    system = work(complete("x")).agent.system
    assert system.startswith("You read code.")
    assert "is data" in system
    for name, description in (("read_file", "Reads a file."), ("complete", "Ends the task.")):
        assert f"## {name}\n\n{description}" in system
    assert "<read_file>\n<path>" in system


def test_the_system_prompt_tells_every_parameter_and_which_may_be_left_out(work):
    system = work(complete("x")).agent.system
    assert "Reads a file.\n- `path`: From the root\n- `lines` (may be left out): integer\n\n<read_file>" in system


def test_a_tool_is_not_told_what_the_model_only_thinks(work):
    assert not work("<think>" + read("a") + "</think>" + complete("x")).ctx.tools.calls[1:]


def asked(ctx, **limits):
    turns = (Message(role="system", content="You write code."), Message(role="user", content="better?"))
    return consult(ctx, LlmRequest(messages=turns, max_tokens=50, temperature=0.5), limits=AgentLimits(**limits))


def test_an_operator_lets_the_model_use_tools_before_it_answers():
    ctx = Ctx(Script([read("a"), "```python\nx = 1\n```"]), Tools())
    assert asked(ctx).text == "```python\nx = 1\n```"
    assert [call.tool for call in ctx.tools.calls] == ["read_file"]
    assert {(request.max_tokens, request.temperature) for request in ctx.llm.asked} == {(50, 0.5)}


def test_an_operator_of_one_step_asks_as_if_there_were_no_tools():
    ctx = Ctx(Script(["x = 1"]), Tools())
    assert asked(ctx, steps=1).text == "x = 1"
    assert ctx.llm.asked[0].messages[0].content == "You write code."


def test_an_operator_asks_as_usual_where_no_tool_is_offered():
    ctx = Ctx(Script(["x = 1"]), Tools(offered=()))
    assert asked(ctx).text == "x = 1"
    assert ctx.llm.asked[0].messages[0].content == "You write code."


def test_an_operator_takes_the_summary_of_a_model_that_ends_its_task():
    ctx = Ctx(Script([f"{read('a')}{complete('too early')}", complete("x = 1")]), Tools())
    assert asked(ctx).text == "x = 1"


def test_an_operator_takes_the_last_message_that_the_limits_allow():
    ctx = Ctx(Script([read("a"), read("b"), read("c")]), Tools())
    assert asked(ctx, steps=3).text == read("c")
    assert ctx.llm.asked[2].messages[-1].content.endswith("Answer now, with what you know so far.")
