"""The record of a candidate, with the specified fields."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from evograft.api import Finished
from evograft_ahc.records.ids import CandidateNaming
from evograft_ahc.scoring.evaluation import Compilation, find_failures, get_compilation
from evograft_hookspecs import Evaluation, FrozenDict, Trial, Value
from evograft_hookspecs.values import Json

SUMMARY = 200
"""Characters of an instruction that a record repeats."""

Judgement = Literal["completed", "pruned", "failed", "not_run"]


class CandidateRecord(Value):
    """A candidate. Paths are relative to the session's folder."""

    id: str
    generation: int
    parent_ids: tuple[str, ...] = ()
    creation_method: str
    llm_prompt_summary: str | None = None
    source_code_path: str | None = None
    parameters_used: FrozenDict[str, Json] = FrozenDict()
    compilation_status: Compilation
    compilation_log_path: str | None = None
    evaluation_scores: FrozenDict[str, float] = FrozenDict()
    """In the contest's own units."""
    case_failures: FrozenDict[str, str] = FrozenDict()
    missing_outputs: tuple[str, ...] = ()
    """The cases whose output is not in the session's folder: too long, or not kept any more."""
    average_score: float | None = None
    total_score: float | None = None
    execution_time_avg_ms: float | None = None
    evaluation_status: Judgement
    error_message: str | None = None


def build_candidate_record(
    finished: Finished, naming: CandidateNaming, *, temperature: float | None = None
) -> CandidateRecord:
    """Return the record of a finished trial.

    Args:
        finished: as the log has it.
        naming: of the session.
        temperature: at which a model was asked for the candidate last; `None`: at its default, or none was.
    """
    trial, evaluation = finished.trial, finished.trial.evaluation
    place, candidate = naming.place(trial.number), trial.candidate
    scores, failures = evaluation.cases, find_failures(evaluation)
    run = len(scores) + len(failures)
    average = compute_average_score(evaluation)
    return CandidateRecord(
        id=f"{place.individual}_{format_timestamp(finished.at)}",
        generation=place.generation,
        parent_ids=tuple(naming.place(parent).individual for parent in (candidate.parents if candidate else ())),
        creation_method=get_creation_method(trial),
        llm_prompt_summary=_summary(trial),
        source_code_path=get_source_path(trial, naming) if candidate else None,
        parameters_used=_parameters(trial, temperature),
        compilation_status=get_compilation(trial.evaluation),
        compilation_log_path=get_compile_log_path(trial, naming) if candidate else None,
        evaluation_scores=FrozenDict({file_of(case): score for case, score in sorted(scores.items())}),
        case_failures=FrozenDict({file_of(case): kind for case, kind in sorted(failures.items())}),
        average_score=average,
        total_score=sum(scores.values()) if scores else None,
        execution_time_avg_ms=round(1000 * finished.seconds / run, 3) if run else None,
        evaluation_status=get_judgement_status(trial),
        error_message=evaluation.reason or None,
    )


def compute_average_score(evaluation: Evaluation) -> float | None:
    """Over the cases that have a score, in the contest's own units."""
    return sum(evaluation.cases.values()) / len(evaluation.cases) if evaluation.cases else None


def get_creation_method(trial: Trial) -> str:
    """Return the operator, such as `crossover_llm` if a model was asked."""
    if trial.proposal is None:
        return "initial"
    name = trial.proposal.operator.partition(".")[2]
    return f"{name}_llm" if trial.model else name


def get_judgement_status(trial: Trial) -> Judgement:
    if trial.candidate is None or get_compilation(trial.evaluation) in ("failed", "timeout"):
        return "not_run"
    status: dict[str, Judgement] = {"ok": "completed", "pruned": "pruned"}
    return status.get(trial.evaluation.status, "failed")


def get_source_path(trial: Trial, naming: CandidateNaming) -> str:
    average = compute_average_score(trial.evaluation)
    score = "none" if average is None else f"{average:.0f}"
    return f"solutions/{naming.place(trial.number).file}_score{score}.cpp"


def get_compile_log_path(trial: Trial, naming: CandidateNaming) -> str:
    return f"logs/compile_{naming.place(trial.number).file}.log"


def file_of(case: str) -> str:
    """Return a case as records name it."""
    return f"seed{case}.txt"


def format_timestamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%SZ")


def _summary(trial: Trial) -> str | None:
    if trial.proposal is None or not trial.model:
        return None
    text = " ".join((trial.proposal.instruction or trial.proposal.operator).split())
    return text if len(text) <= SUMMARY else f"{text[: SUMMARY - 1]}…"


def _parameters(trial: Trial, temperature: float | None) -> FrozenDict[str, Json]:
    if trial.proposal is None:
        return FrozenDict()
    asked = {"model": trial.model, "temperature": temperature}
    told = {name: value for name, value in asked.items() if value not in ("", None)}
    return FrozenDict({**told, "specific_mutation_type": trial.proposal.id})
