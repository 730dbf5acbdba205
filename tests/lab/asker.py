"""A plugin for tests that climbs towards a number by asking a model, and offers a tool that leaves traces."""

from __future__ import annotations

from pathlib import Path

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    CandidateRejected,
    Evaluation,
    LlmRequest,
    Manifest,
    Message,
    NoOptions,
    Operator,
    Problem,
    Proposal,
    Selection,
    Tool,
    ToolCall,
    ToolResult,
    hookimpl,
)


class AskerOptions(NoOptions):
    questions: int = 1
    """How often each trial asks the same thing."""
    analyzing: bool = False
    """Whether `analyze` asks too."""
    stubborn: bool = False
    """Catch whatever can be caught, and reject."""
    deaf: bool = False
    """Catch even what nobody should."""
    tool: str = ""
    """A file that each use of the tool adds a line to; empty: the tool is not used."""
    odd_is_invalid: bool = False
    measures_odd: bool = False
    """Say what was measured of a number before it was found to be odd."""


class Asker:
    manifest = Manifest(
        name="asker",
        contract=CONTRACT,
        operators=(Operator(name="ask"), Operator(name="mend", repairs=True)),
        tools=(
            Tool(name="count", description="Adds a line to a file.", effects=True),
            Tool(name="look", description="Adds a line too, and says it has no effects."),
        ),
        thread_safe=True,
    )
    Options = AskerOptions

    def __init__(self, options: AskerOptions) -> None:
        self.options = options
        self.scores: dict[int, float] = {}

    @hookimpl
    def analyze(self, ctx) -> Problem:
        statement = ask(ctx, "what is the problem?") if self.options.analyzing else "Get to 30."
        return Problem(name="asker", statement=statement, kind="number", objective="minus the distance")

    @hookimpl
    def select(self, ctx, committed) -> Selection:
        for trial in committed:
            if trial.score is not None:
                self.scores[trial.number] = trial.score
        best = sorted(self.scores, key=lambda number: (-self.scores[number], number))[:3]
        return Selection(parents=(ctx.rng.choice(best),)) if best else Selection()

    @hookimpl
    def propose(self, selection) -> tuple[Proposal, ...]:
        return (Proposal(id="a", operator="asker.ask"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents) -> Candidate:
        start = parents[0].candidate.source if parents else "0"
        told = "; ".join(advice.text for advice in proposal.advice)
        failed = "; ".join(attempt.reason + attempt.draft for attempt in proposal.failed)
        if self.options.tool:
            for name in ("count", "look"):
                start += ctx.tools.call(ToolCall(id="1", tool=name)).content[:0]
        try:
            question = f"{start} | {told} | {failed} | trial {ctx.trial}"
            texts = [ask(ctx, question) for _ in range(self.options.questions)]
        except BaseException as err:
            if self.options.deaf or (self.options.stubborn and isinstance(err, Exception)):
                raise CandidateRejected("whatever happened") from err
            raise
        try:
            number = str(round(float(texts[-1]), 3))
        except ValueError as err:
            raise CandidateRejected("no number", draft=texts[-1]) from err
        numbers = tuple(parent.number for parent in parents)
        return Candidate.of(number, kind="number", operator=proposal.operator, trial=ctx.trial, parents=numbers)

    @hookimpl
    def evaluate(self, candidate) -> Evaluation:
        number = float(candidate.source)
        if self.options.odd_is_invalid and round(number) % 2:
            reason = f"{round(number)} is odd"
            if self.options.measures_odd:
                measured = {"metrics": {"size": number}, "feedback": "even ones only", "durations": {"measuring": 0.5}}
                return Evaluation(status="rejected", reason=reason, stage="parity", cost=0.25, seconds=2.0, **measured)
            raise CandidateRejected(reason)
        return Evaluation(status="ok", score=-abs(number - 30.0))

    @hookimpl
    def tool_call(self, call) -> ToolResult:
        with Path(self.options.tool).open("a") as file:
            file.write(f"{call.tool}\n")
        return ToolResult(ok=True, content=call.tool)


def ask(ctx, text: str) -> str:
    message = Message(role="user", content=text)
    return ctx.llm.complete(LlmRequest(messages=(message,), max_tokens=20)).text
