"""The operator `agent`: what its tools do, what is metered, and what becomes of each way to do it wrong."""

from __future__ import annotations

from typing import Any

import pytest

from evograft_hookspecs import CandidateRejected, Evaluation, LlmRefused, Tool, ToolCall, ToolResult

PARENT = "x = 1\ny = 2\n"
EVALUATE = "<evaluate>\n</evaluate>"
HAND_IN = "<hand_in>\n<idea>Another number.</idea>\n</hand_in>"
COMPILE = Tool(name="compile", description="Compiles the program.", for_candidates=True)


def write(text: str, path: str = "main") -> str:
    return f"<write>\n<path>{path}</path>\n<text>\n{text}</text>\n</write>"


class Tools:
    """Those of a plugin: one that works on a candidate."""

    offered = ()
    for_candidates = (COMPILE,)

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []

    def call(self, call: ToolCall) -> ToolResult:
        self.calls.append(call)
        return ToolResult(ok=True, content="compiled")


class Evaluator:
    """Gives the number behind `x = ` as the score."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def evaluate(self, candidate: Any) -> Evaluation:
        self.seen.append(candidate.source)
        number = float(candidate.source.split()[2])
        return Evaluation(status="ok", score=number, feedback=f"x is {number:g}") if number else REJECTED


REJECTED = Evaluation.rejected("x is nothing")


@pytest.fixture
def work(desk):
    """A desk with tools and an evaluator, and a function that carries out the operator."""

    def make(*answers: Any, problem: Any = None, **agent: Any) -> Any:
        made = desk(*answers, problem={"language": "python", **(problem or {})}, agent={"share": 1, **agent})
        made.tools, made.evaluator = Tools(), Evaluator()
        context = made.context

        def with_evaluation(**place: Any) -> Any:
            ctx = context(**place)
            object.__setattr__(ctx, "evaluation", made.evaluator)
            return ctx

        made.context = with_evaluation
        made.hand_in = lambda files=PARENT: made.mutate("agent", desk.trial(3, files))
        made.reject = lambda files=PARENT: made.rejection("agent", desk.trial(3, files)).reason
        return made

    return make


def last_result(made: Any) -> str:
    return made.model.requests[-1].messages[-1].content


def test_an_agent_changes_evaluates_and_hands_in(work):
    made = work("<read>\n<path>main</path>\n</read>", write("x = 5\ny = 2"), EVALUATE, HAND_IN)
    candidate = made.hand_in()
    assert candidate.source == "x = 5\ny = 2\n"
    assert (candidate.parents, candidate.operator) == ((3,), "operators.agent")
    assert made.evaluator.seen == ["x = 5\ny = 2\n"]
    assert "ok, score 5\nx is 5\n\nevaluations left: 3" in last_result(made)
    told = [request.messages[-1].content for request in made.model.requests]
    assert "Sort fast." in told[0]
    assert "1: x = 1\n2: y = 2" in told[1]
    assert "## hand_in" in made.model.requests[0].messages[0].content


def test_lines_are_changed_by_blocks(work):
    made = work(
        "<patch>\n<edits>\n<<<<<<< SEARCH\ny = 2\n=======\ny = 7\n>>>>>>> REPLACE\n</edits>\n</patch>",
        "<patch>\n<edits>\n<<<<<<< SEARCH\nz = 2\n=======\nz = 7\n>>>>>>> REPLACE\n</edits>\n</patch>",
        HAND_IN,
    )
    assert made.hand_in().source == "x = 1\ny = 7\n"
    assert "nowhere in the program" in last_result(made)


def test_the_marks_of_a_program_hold(work):
    marked = "a = 0\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n"
    made = work(write(marked.replace("a = 0", "a = 9").replace("x = 1", "x = 2")), HAND_IN)
    assert made.hand_in(marked).source == marked.replace("x = 1", "x = 2")


def test_an_agent_cannot_use_more_evaluations_than_it_has(work):
    made = work(*(step for n in range(2, 6) for step in (write(f"x = {n}"), EVALUATE)), HAND_IN, evaluations=2)
    assert made.hand_in().source == "x = 5\n"
    assert len(made.evaluator.seen) == 2
    assert "no evaluations are left" in last_result(made)


def test_the_same_program_is_evaluated_once(work):
    made = work(write("x = 2"), *[EVALUATE] * 5, HAND_IN, evaluations=1)
    assert made.hand_in().source == "x = 2\n"
    assert len(made.evaluator.seen) == 1


def test_without_evaluations_the_tool_is_not_shown(work):
    made = work(write("x = 2"), HAND_IN, evaluations=0)
    made.hand_in()
    assert "## evaluate" not in made.model.requests[0].messages[0].content


def test_the_parent_is_neither_evaluated_nor_handed_in(work):
    made = work(EVALUATE, HAND_IN, write("x = 3"), HAND_IN)
    assert made.hand_in().source == "x = 3\n"
    assert made.evaluator.seen == []
    assert "a program that is there already" in made.model.requests[2].messages[-1].content


def test_an_agent_that_never_hands_in_hands_in_the_best_that_it_has_evaluated(work):
    steps = [step for n in (2, 9, 4, 0) for step in (write(f"x = {n}"), EVALUATE)]
    assert work(*steps, steps=8).hand_in().source == "x = 9\n"


def test_an_agent_that_never_hands_in_and_evaluates_nothing_is_rejected(work):
    made = work(*["<list_files>\n</list_files>"] * 6, steps=6)
    assert made.reject() == "the agent has not handed in a program within 6 messages, and evaluated none"


def test_only_rejected_programs_are_as_good_as_none(work):
    assert "within 2 messages" in work(write("x = 0"), EVALUATE, steps=2).reject()


def test_an_agent_that_talks_and_calls_nothing_is_rejected(work):
    assert "has not handed in a program" in work(*["Let me think."] * 3).reject()


def test_an_agent_that_refuses_costs_its_trial_or_hands_in_the_best(work):
    assert "refused the request: no" in work(LlmRefused("no")).reject()
    assert work(write("x = 4"), EVALUATE, LlmRefused("no")).hand_in().source == "x = 4\n"


@pytest.mark.parametrize("path", ["../main.py", "/etc/passwd", "~/x", "a\\b", "other.py", ""])
def test_nothing_outside_of_the_program_is_written_or_read(work, path):
    made = work(write("x = 2", path), f"<read>\n<path>{path}</path>\n</read>", write("x = 3"), HAND_IN)
    assert made.hand_in().files == {"main": "x = 3\n"}
    assert "<error" in made.model.requests[1].messages[-1].content
    assert "<error" in made.model.requests[2].messages[-1].content


def test_fifty_megabytes_are_refused(work):
    made = work(write("x = 2\n" * 9_000_000), write("x = 3"), HAND_IN)
    assert made.hand_in().source == "x = 3\n"


def test_what_no_file_should_hold_is_refused(work):
    made = work(write("x = '\x00'"), write("x = ("), HAND_IN, write("x = 3"), HAND_IN)
    assert made.hand_in().source == "x = 3\n"
    assert "control character" in made.model.requests[1].messages[-1].content
    assert "<error" in made.model.requests[3].messages[-1].content


def test_tools_of_plugins_get_the_program_as_it_is(work):
    made = work(write("x = 6"), "<compile>\n</compile>", HAND_IN)
    made.hand_in()
    (call,) = made.tools.calls
    assert call.files == {"main": "x = 6\n"}
    assert "compiled" in last_result(made)


def test_calls_of_plugins_tools_are_limited(work):
    made = work(write("x = 6"), *["<compile>\n</compile>"] * 3, HAND_IN, calls=2)
    assert made.hand_in().source == "x = 6\n"
    assert len(made.tools.calls) == 2
    assert "no calls of compile are left" in last_result(made)


def test_an_agent_is_offered_by_its_share(desk):
    parent = desk.trial(3, PARENT)
    off, some, alone = (
        desk(past=(parent,), problem={"language": "python"}, agent={"share": share}) for share in (0, 0.25, 1)
    )
    assert "agent" not in off.offered(parents=(3,))
    weights = {name: each.weight for name, each in some.offered(parents=(3,)).items()}
    assert weights["agent"] == pytest.approx(sum(weights.values()) / 4)
    assert set(alone.offered(parents=(3,))) == {"agent"}
    assert "agent" not in alone.offered()


def test_a_program_in_several_files_is_listed(work):
    made = work("<list_files>\n</list_files>", write("x = 2", "a.py"), HAND_IN)
    assert made.hand_in({"a.py": "x = 1\n", "b.py": "y = 1\n"}).files == {"a.py": "x = 2\n", "b.py": "y = 1\n"}
    assert "a.py: 1 lines\nb.py: 1 lines" in made.model.requests[1].messages[-1].content


def test_a_context_without_evaluations_says_so(desk):
    with pytest.raises(RuntimeError, match="in mutate only"):
        desk().context().evaluation.evaluate(None)  # type: ignore[arg-type]


def test_the_repair_of_an_agents_program_asks_for_a_whole_one(desk):
    rejected = desk.trial(5, "x = 0\n").candidate.model_copy(update={"operator": "operators.agent"})
    made = desk("```python\nx = 8\n```", problem={"language": "python"})
    attempt = {"candidate": rejected, "reason": "x is nothing"}
    assert made.mutate("repair", desk.trial(3, PARENT), failed=(attempt,)).source == "x = 8\n"
    with pytest.raises(CandidateRejected):
        desk(problem={"language": "python"}).mutate("repair", desk.trial(3, PARENT))
