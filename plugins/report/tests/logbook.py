"""A run's log that a test writes by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from evograft.config.loading import pipeline_from
from evograft.log.attribution import Attribution
from evograft.log.journal import Journal
from evograft.log.records import CompletedCall, FinalEvaluation, Prints
from evograft.plugin.loading import load_driver
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.start import start_run
from evograft_hookspecs import (
    Candidate,
    Control,
    Evaluation,
    LlmAnswer,
    LlmRequest,
    Message,
    Problem,
    Proposal,
    Selection,
    Trial,
    Usage,
)
from evograft_report.figures.run_figures import RunFigures, fold_figures
from evograft_report.page import get_catalog, render_page


class LogBook:
    """Writes rows; each method takes what matters to the test and fills in the rest."""

    def __init__(self, path: Path, journal: Journal) -> None:
        self.path = path
        self.journal = journal
        self.number = 0
        self.elapsed = 0.0
        self.attribution = Attribution()

    @classmethod
    @contextmanager
    def begun(cls, pipeline: dict[str, Any], path: Path) -> Iterator[Self]:
        run = start_run(pipeline_from(pipeline, source="test"), runs=path.parent, folder=path)
        store = load_driver("store", run.pipeline.store)
        store.open(path, durable=False)
        try:
            yield cls(path, Journal(store))
        finally:
            store.close()

    def problem(self, **fields: Any) -> None:
        given = {"name": "lab", "statement": "Get to 30.", "kind": "number", "objective": "minus the distance"}
        self.journal.write_problem(Problem(**{**given, **fields}))

    def trial(
        self,
        score: float | None = None,
        *,
        files: dict[str, str] | str | None = "1.0",
        parents: tuple[int, ...] = (),
        operator: str = "lab.step",
        reason: str = "no good",
        status: str = "",
        number: int | None = None,
        island: int = 0,
        model: str = "",
        proposal: dict[str, Any] | None = None,
        cost: float = 0.0,
        metrics: dict[str, float] | None = None,
        objectives: dict[str, float] | None = None,
        cases: dict[str, float] | None = None,
        **fields: Any,
    ) -> int:
        """A finished trial: valid with a score, rejected without; returns its number."""
        number = self.number if number is None else number
        self.number = max(self.number, number) + 1
        self.elapsed += 1.0
        status = status or ("rejected" if score is None else "ok")
        why = "" if status == "ok" else reason
        measured = {"metrics": metrics or {}, "objectives": objectives or {}, "cases": cases or {}}
        evaluation = Evaluation(status=status, score=score, reason=why, cost=cost, **measured)
        drawn = Proposal(**{"id": "p", "operator": operator, "model": model, **(proposal or {})})
        trial = Trial(
            number=number,
            view=0,
            selection=Selection(parents=parents, island=island, **fields.pop("selection", {})),
            proposal=drawn,
            candidate=candidate(
                number, files, **{"parents": parents, "operator": operator, **fields.pop("candidate", {})}
            ),
            evaluation=evaluation,
            **fields,
        )
        trial = trial.model_copy(update={"model": self.attribution.model_of(trial)})
        prints = Prints(fingerprint=trial.candidate.id if trial.candidate else "")
        self.journal.write_trial(trial, prints, elapsed=self.elapsed)
        return number

    def call(
        self, trial: int | None, *, model: str = "dear", tokens: tuple[int, int] = (100, 50), **fields: Any
    ) -> None:
        """An answer of a model, with the price that the pipeline knows."""
        prompt, completion = tokens
        dollars = (2.0 * prompt + 4.0 * completion) * 1e-6 if model == "dear" else None
        usage = Usage(prompt_tokens=prompt, completion_tokens=completion, dollars=dollars)
        given = {"hook": "mutate", "plugin": "lab", "seconds": 2.0, "requests": 1, "at": 1.0, **fields}
        key = f"{'-' if trial is None else trial}/mutate/lab/0:{self.journal.finished_trials()}"
        answered = CompletedCall(key=key, trial=trial, model=model, usage=usage, **given)
        request = LlmRequest(messages=(Message(role="user", content="?"),), max_tokens=10)
        answer = None if answered.refused else LlmAnswer(text="!", model=model, usage=usage)
        self.attribution.add(key, model, has_answer=answered.has_answer)
        self.journal.write_answer(answered, request, answer)

    def control(self, kind: Any, text: str, *, commits: int = 0, first_trial: int = 0) -> None:
        self.journal.write_control(Control(kind=kind, text=text, commits=commits, first_trial=first_trial))

    def judge(self, trial: int, *, commits: int, score: float = 1.0, **fields: Any) -> None:
        evaluation = Evaluation(status="ok", score=score, **fields)
        self.journal.write_final_evaluation(FinalEvaluation(trial, commits, evaluation))

    def figures(self) -> RunFigures:
        return figures_at(self.path)

    def page(self, language: str = "en") -> str:
        return render_page(self.figures(), get_catalog(language))


def figures_at(path: Path) -> RunFigures:
    """The figures of the run in a folder."""
    with open_journal(path) as journal:
        return fold_figures(open_run(path), journal)


def candidate(
    trial: int, files: dict[str, str] | str | None, *, parents: tuple[int, ...], operator: str, **fields: Any
) -> Candidate | None:
    if files is None:
        return None
    files = {"main": files} if isinstance(files, str) else files
    given = {"kind": "number", "files": files, "operator": operator, "trial": trial, "parents": parents}
    return Candidate(**{**given, **fields})
