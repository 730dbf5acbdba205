"""What tools said is in the log: an agent that is resumed is told the same again."""

import pytest
from asking import climb
from fault_server import answer, status

from evograft.errors import ServiceError, UserError
from evograft.log.records import ToolUsed
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.session import open_session
from evograft_agent.consult import consult
from evograft_agent.loop import AgentLimits
from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    LlmRequest,
    Manifest,
    Message,
    Operator,
    Proposal,
    Tool,
    ToolCall,
    ToolResult,
    TrialCommitted,
    hookimpl,
)


class Agent:
    """Lets its tools say a new number at each use, and asks a model about what they said."""

    manifest = Manifest(
        name="agent",
        contract=CONTRACT,
        operators=(Operator(name="act"),),
        tools=(
            Tool(name="write", description="Says a number.", effects=True),
            Tool(name="read", description="Says a number too."),
            Tool(name="think", description="Asks a model."),
        ),
        thread_safe=True,
    )

    def __init__(self, uses):
        self.uses = uses
        self.heard = {}
        self.watching = False

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="act", operator="agent.act", weight=1e15),)

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        said = self.use(ctx)
        ask(ctx, f"0 | {said} | | trial {ctx.trial}")
        return Candidate.of(str(ctx.trial), kind="number", operator=proposal.operator, trial=ctx.trial)

    @hookimpl
    def observe(self, ctx, event):
        if self.watching and isinstance(event, TrialCommitted):
            self.heard[event.trial.number] = self.use(ctx)

    @hookimpl
    def tool_call(self, ctx, call):
        if call.tool == "think":
            return ToolResult(ok=True, content=ask(ctx, f"0 | thinking | | {ctx.trial}"))
        self.uses.append((ctx.trial, call.tool))
        return ToolResult(ok=True, content=str(len(self.uses)))

    def use(self, ctx):
        calls = [ToolCall(id=str(number), tool=tool) for number, tool in enumerate(("write", "read", "read"))]
        return " ".join(ctx.tools.call(call).content for call in calls)


def ask(ctx, text):
    return ctx.llm.complete(LlmRequest(messages=(Message(role="user", content=text),), max_tokens=20)).text


def go_on(path, agent, *overrides):
    with open_session(
        open_run(path), observers=[ActivePlugin("agent", agent, Agent.manifest, "test")], overrides=overrides
    ) as kernel:
        kernel.run()


def test_a_trial_that_is_done_again_hears_what_its_tools_said_and_only_effects_happen_again(asking, server):
    server.usual = status(401)
    path, uses = asking.begin("run", trials=1), []
    with pytest.raises(ServiceError):
        go_on(path, Agent(uses))
    server.usual = climb
    go_on(path, Agent(uses))
    assert uses == [(0, "write"), (0, "read"), (0, "read"), (0, "write")]
    assert [seen.prompt for seen in server.asked()] == ["0 | 1 2 3 | | trial 0"] * 2
    with open_journal(path) as journal:
        keys = [record.key for record in journal.records() if isinstance(record, ToolUsed)]
    assert len(set(keys)) == len(keys) == 3


def test_a_run_that_is_killed_while_its_agent_asks_uses_a_tool_without_effects_once(asking, server, hanging):
    file, path = asking.folder / "uses", asking.folder / "run"
    pipeline = asking.write(trials=1, with_={"tool": str(file)})
    process = asking.start("run", pipeline, "--run-dir", path)
    hanging.wait_for(1)
    asking.kill(process)
    assert file.read_text().split() == ["count", "look"]
    server.usual = climb
    done = asking.evo("resume", path)
    assert done.returncode == 0, done.stderr
    assert file.read_text().split() == ["count", "look", "count"]
    assert asking.trials(path) == asking.undisturbed(trials=1, with_={"tool": str(asking.folder / "others")})


def test_tools_of_an_observer_say_the_same_when_it_is_told_again(asking):
    path, uses, agent = asking.begin("run", trials=5), [], Agent([])
    agent.uses, agent.watching = uses, True
    go_on(path, agent)
    again = Agent(uses)
    again.watching = True
    reads = uses.count((0, "read"))
    go_on(path, again)
    assert again.heard == agent.heard
    assert uses.count((0, "read")) == reads == 4


def test_a_question_that_a_tool_asks_is_logged_under_the_trial_and_the_tool(asking, server):
    class Thinking(Agent):
        def use(self, ctx):
            return "".join(ctx.tools.call(ToolCall(id="1", tool="think")).content for _ in range(2))

    path = asking.begin("run", trials=2)
    go_on(path, Thinking([]))
    places = sorted(answered.key.split(":")[0] for answered in asking.answers(path))
    assert places == [
        f"{trial}/mutate/agent/0{tool}"
        for trial in range(2)
        for tool in ("", "/tool_call/agent/0", "/tool_call/agent/1")
    ]
    assert {answered.trial for answered in asking.answers(path)} == {0, 1}


def test_a_question_of_a_tool_that_is_refused_is_the_tools_result(asking, server):
    class Thinking(Agent):
        def use(self, ctx):
            result = ctx.tools.call(ToolCall(id="1", tool="think"))
            return f"{result.ok} {result.content}"

    path = asking.run("run", trials=1)
    server.script(status(400, "too long"))
    go_on(path, Thinking([]), "budget.trials=2")
    assert "False no answer from a model: " in server.asked()[-1].prompt
    assert asking.trials(path)[1]["evaluation"]["status"] == "ok"


def test_an_unknown_tool_is_a_result_that_is_not_ok(asking, server):
    class Mistaken(Agent):
        def use(self, ctx):
            return ctx.tools.call(ToolCall(id="1", tool="raed")).content

    path = asking.begin("run", trials=1)
    go_on(path, Mistaken([]))
    (seen,) = server.asked()
    assert "unknown tool 'raed'; did you mean 'read'?" in seen.prompt


class Consulting(Agent):
    """Lets the model use a tool by itself."""

    def use(self, ctx):
        turns = (Message(role="user", content=f"trial {ctx.trial}"),)
        return consult(ctx, LlmRequest(messages=turns, max_tokens=20), limits=AgentLimits(steps=3)).text


def test_a_model_that_used_a_tool_is_not_asked_again_for_the_message_that_called_it(asking, server):
    path, uses = asking.begin("run", trials=1), []
    server.script(answer("<read></read>"), status(401))
    with pytest.raises(ServiceError):
        go_on(path, Consulting(uses))
    server.script(answer("I have read it."))
    go_on(path, Consulting(uses))
    assert uses == [(0, "read")]
    called, *results, used = server.asked()
    assert called.prompt == "trial 0"
    assert [seen.prompt for seen in results] == ['<result tool="read">\n1\n</result>'] * 2
    assert used.prompt == "0 | I have read it. | | trial 0"


def test_a_pipeline_that_narrows_the_tools_offers_no_others(asking):
    class Listing(Agent):
        def use(self, ctx):
            return " ".join(tool.name for tool in ctx.tools.offered)

    path = asking.begin("run", trials=1)
    go_on(path, Listing([]))
    go_on(path, Listing([]), "budget.trials=30", "tools=[look]")
    offered = [seen.prompt.split(" | ")[1] for seen in asking.server.asked()]
    assert offered[0] == "count look write read think"
    assert offered[-1] == "look"


def test_a_tool_that_nobody_offers_is_a_mistake_of_the_pipeline(asking):
    path = asking.begin("run", trials=1)
    with pytest.raises(UserError, match="tools: nobody offers 'lok'; did you mean 'look'"):
        go_on(path, Agent([]), "tools=[lok]")
