"""The top of a report: which run this is, how it stands, and what it is composed of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evograft.config.pipeline import DriverSection, LlmSection, Pipeline
from evograft.log.history import RunHistory
from evograft.runs.lock_file import RunFolder
from evograft.runs.mailbox import snapshot_of
from evograft.runs.storage import writer_of
from evograft.text.escapes import sanitize

State = Literal["running", "complete", "stopped", "idle"]

STATEMENT = 2000


@dataclass(frozen=True)
class RunIdentity:
    """Which run it is, and what it works on."""

    run: str
    id: str
    problem: str
    """Empty: it was not analyzed yet."""
    statement: str
    objective: str
    """What the score measures."""


@dataclass(frozen=True)
class Overview(RunIdentity):
    """A run at a glance."""

    state: State
    """`idle`: nobody works on it, and nothing says why."""
    reason: str
    """Why it stopped."""
    writer: int | None
    """The process that works on it now."""
    in_flight: int
    trials: int
    limit: int | None
    generation: int
    best_score: float | None
    best_trial: int | None
    elapsed: float
    """Wall seconds over all sessions."""
    as_of: float | None
    """Unix time of the last trial; `None`: there is none."""
    settings: tuple[tuple[str, str], ...]
    """Keys of the pipeline and what they say in short."""


def build_overview(run: RunFolder, history: RunHistory) -> Overview:
    """Return the head, from what the log says and what the folder shows of a live run."""
    pipeline, problem, writer, best = run.pipeline, history.problem, writer_of(run.path), history.best
    return Overview(
        run=sanitize(run.name, 200),
        id=sanitize(run.id, 60),
        problem=sanitize(problem.name, 200) if problem else "",
        statement=sanitize(problem.statement, STATEMENT) if problem else "",
        objective=sanitize(problem.objective, 200) if problem else "",
        state="running" if writer is not None else _state(history),
        reason=sanitize(history.stop.text, 300) if history.stop else "",
        writer=writer,
        in_flight=snapshot_of(run.path).count if writer is not None else 0,
        trials=history.trials,
        limit=history.limit,
        generation=history.generation,
        best_score=best.score if best else None,
        best_trial=best.number if best else None,
        elapsed=round(history.elapsed, 1),
        as_of=history.at,
        settings=tuple((key, sanitize(text, 300)) for key, text in _settings(pipeline) if text),
    )


def _state(history: RunHistory) -> State:
    if history.is_complete:
        return "complete"
    return "stopped" if history.stop else "idle"


def _settings(pipeline: Pipeline) -> list[tuple[str, str]]:
    novelty = pipeline.novelty
    near = f", threshold {novelty.threshold:g}" if novelty.threshold < 1 else ""
    return [
        ("plugins", ", ".join(section.name for section in pipeline.plugins)),
        ("llm", _llm(pipeline.llm)),
        ("executor", _driver(pipeline.executor)),
        ("budget", _list_options(pipeline.budget.model_dump(exclude_none=True))),
        ("operators", _list_options(dict(pipeline.operators))),
        ("seed", str(pipeline.seed)),
        ("window", f"{pipeline.in_flight}, order: {pipeline.commit_order}"),
        ("generation_size", str(pipeline.generation_size)),
        ("repairs", str(pipeline.repairs) if pipeline.llm.driver != "none" else ""),
        ("novelty", f"{novelty.duplicates}{near}{', embedding' if novelty.embedding else ''}"),
    ]


def _driver(section: DriverSection) -> str:
    options = _list_options(section.options)
    return f"{section.driver} ({options})" if options else section.driver


def _llm(section: LlmSection) -> str:
    models = ", ".join(
        model.name + (f" ({model.price.prompt:g} + {model.price.completion:g} $/M)" if model.price else "")
        for model in section.models
    )
    choice = ", choice: bandit" if section.choice == "bandit" else ""
    return f"{section.driver}: {models}{choice}" if models else section.driver


def _list_options(options: dict[str, object]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in options.items())
