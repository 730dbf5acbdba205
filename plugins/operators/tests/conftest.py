"""A desk to work at: a scripted model, a history, and the plugin between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    Context,
    Evaluation,
    LlmAnswer,
    LlmRequest,
    Problem,
    Proposal,
    Selection,
    Trial,
)
from evograft_operators.options import OperatorsOptions
from evograft_operators.plugin import OperatorsPlugin


class ScriptedModel:
    """Gives its answers one after the other; an exception among them is raised."""

    def __init__(self, *answers: Any, available: bool = True) -> None:
        self.answers = list(answers)
        self.available = available
        self.requests: list[LlmRequest] = []

    def complete(self, request: LlmRequest) -> LlmAnswer:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, LlmAnswer) else LlmAnswer(text=answer, model="scripted")


class Past:
    """A history of these trials."""

    def __init__(self, *trials: Trial) -> None:
        self.asked_for = 0
        self.trials = {trial.number: trial for trial in trials}

    def trial(self, number: int) -> Trial:
        return self.trials[number]

    def latest(self, count: int) -> tuple[Trial, ...]:
        self.asked_for = count
        return tuple(self.trials.values())[max(len(self.trials) - count, 0) :]


class Desk:
    """The plugin with its options, a model with its answers, a problem."""

    def __init__(
        self, *answers: Any, past: tuple[Trial, ...] = (), problem: dict[str, Any] | None = None, **options: Any
    ) -> None:
        self.plugin = OperatorsPlugin(OperatorsOptions(**options))
        self.model = ScriptedModel(*answers)
        self.past = Past(*past)
        self.tools: Any = None
        given: dict[str, Any] = {"statement": "Sort fast.", "kind": "python", "objective": "runs a second"}
        self.problem = Problem(name="sorting", **{**given, **(problem or {})})

    def context(self, *, trial: int = 50, seed: int = 0) -> Context:
        services: Any = {"llm": self.model, "tools": self.tools, "history": self.past}
        return Context(trial, seed, Path(), 20, problem=self.problem, **services)

    def offered(self, **selection: Any) -> dict[str, Proposal]:
        found = self.plugin.propose(self.context(), Selection(**selection)) or ()
        return {proposal.operator.removeprefix("operators."): proposal for proposal in found}

    def mutate(self, name: str, *parents: Trial, **proposal: Any) -> Candidate:
        """Carries an operator out at the temperature 0.5."""
        made = {"id": f"operators.{name}@0.500", "operator": f"operators.{name}", **proposal}
        return self.plugin.mutate(self.context(), Proposal(**made), parents)

    def rejection(self, name: str, *parents: Trial, **proposal: Any) -> CandidateRejected:
        with pytest.raises(CandidateRejected) as caught:
            self.mutate(name, *parents, **proposal)
        reason = caught.value.reason
        assert reason == " ".join(reason.split())
        assert len(reason) < 1000
        return caught.value

    @property
    def prompt(self) -> str:
        """What the model was told last."""
        return "\n".join(message.content for message in self.model.requests[-1].messages)

    @staticmethod
    def trial(
        number: int,
        files: str | dict[str, str] | None,
        *,
        score: float | None = 1.0,
        parents: tuple[int, ...] = (),
        **more: Any,
    ) -> Trial:
        given = {"main": files} if isinstance(files, str) else files
        candidate = given and Candidate(
            kind="python", files=given, operator="kernel.seed", trial=number, parents=parents
        )
        said = {name: more.pop(name) for name in ("reason", "feedback", "metrics") if name in more}
        evaluation = (
            Evaluation(status="rejected", **{"reason": "no reason", **said})
            if score is None
            else Evaluation(status="ok", score=score, **said)
        )
        return Trial(number=number, view=0, candidate=candidate or None, evaluation=evaluation, **more)


@pytest.fixture(scope="session")
def desk() -> type[Desk]:
    return Desk
