"""From the outcomes of a program's cases to the evaluation that the search sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evograft_ahc.judging.outcome import CaseKind, CaseOutcome
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.scoring.feedback import WORST, Ending, FeedbackWriter
from evograft_ahc.scoring.references import collect_scores
from evograft_ahc.scoring.scale import ScoreScale
from evograft_ahc.scoring.stages import COMPILING, COMPILING_TIMEOUT, JUDGING
from evograft_ahc.scoring.timing import compute_time_used
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Evaluation, FrozenDict

Compilation = Literal["success", "failed", "timeout", "not_run"]
COMPILATION, FAILED_CASES = "compilation", "failed_cases"
"""Keys of `Evaluation.details`."""
FAILURES: tuple[CaseKind, ...] = (
    *("wrong_answer", "time_limit", "memory_limit", "output_limit", "process_limit", "runtime_error"),
)


def build_evaluation(
    outcomes: Sequence[CaseOutcome],
    scale: ScoreScale,
    *,
    cases: int,
    source: str,
    language: Language = "en",
    ended: Ending = "",
    listed: int = WORST,
) -> Evaluation:
    """Return what a candidate is worth.

    Args:
        outcomes: of the cases that were run, one or more.
        scale: how the task counts.
        cases: how many cases there would have been.
        source: the program.
        language: what reason and feedback are written in.
        ended: why the race ended before all cases were run (`RaceResult.ended`); empty: it did not.
        listed: how many of the weakest cases the feedback lists.

    Returns:
        `ok` and `pruned` with the contest's own scores in `cases`, without those that failed, which `find_failures`
        lists; `rejected` where every case failed; `failed` where the contest's own program did, of which the candidate
        may be the cause or not.
    """
    report = FeedbackWriter(outcomes, scale, cases=cases, language=language, listed=listed)
    broken = next((outcome for outcome in outcomes if outcome.kind == "tester"), None)
    if broken:
        return Evaluation(status="failed", reason=report.scorer_failed(broken))
    scores = collect_scores(outcomes)
    points = list(scale.points_of(outcomes).values())
    return Evaluation(
        status="rejected" if not scores else "pruned" if ended else "ok",
        score=scale.submission(points, cases, failed=len(scores) < len(outcomes)) if scores else None,
        reason=report.ending(ended) if scores else report.every_case_failed(),
        cases=scores,
        metrics=_metrics(outcomes),
        feedback=report.text(ended),
        descriptors=_descriptors(outcomes, scale.task.time_limit_seconds, source),
        stage=JUDGING,
        details=FrozenDict({COMPILATION: "success", FAILED_CASES: _failed_cases(outcomes)}),
        seconds=sum(outcome.cpu_seconds for outcome in outcomes),
    )


def reject_uncompiled(failure: CompileFailed, *, language: Language = "en") -> Evaluation:
    """Return what a program is worth that the compiler refuses, or can't finish."""
    first = next(iter(failure.diagnostics.splitlines()), "")
    en, ja = "it does not compile", "コンパイルできません"
    if failure.limit:
        en, ja = f"the compiler passed its {failure.limit} limit", f"コンパイラーが制限 ({failure.limit}) を超えました"
    return Evaluation(
        status="rejected",
        reason=f"{ja if language == 'ja' else en}: {first}".removesuffix(": "),
        feedback=failure.diagnostics,
        stage=COMPILING_TIMEOUT if failure.limit else COMPILING,
        details=FrozenDict({COMPILATION: "timeout" if failure.limit else "failed"}),
    )


def find_failures(evaluation: Evaluation) -> dict[str, CaseKind]:
    """Return the cases that failed, and how."""
    if FAILED_CASES in evaluation.details:
        return dict(evaluation.details[FAILED_CASES])
    # Logs of earlier versions have them in the names of metrics only.
    found = ((kind, name.partition(" ")) for name in evaluation.metrics for kind in FAILURES)
    return {case: kind for kind, (named, _, case) in found if named == kind}


def get_compilation(evaluation: Evaluation) -> Compilation:
    """Return what became of the compilation."""
    if COMPILATION in evaluation.details:
        compilation: Compilation = evaluation.details[COMPILATION]
        return compilation
    # Logs of earlier versions have the stage only.
    by_stage: dict[str, Compilation] = {"": "not_run", COMPILING: "failed", COMPILING_TIMEOUT: "timeout"}
    return by_stage.get(evaluation.stage, "success")


def _failed_cases(outcomes: Sequence[CaseOutcome]) -> FrozenDict[str, CaseKind]:
    return FrozenDict({outcome.case: outcome.kind for outcome in outcomes if outcome.score is None})


def _metrics(outcomes: Sequence[CaseOutcome]) -> FrozenDict[str, float]:
    """Return how many cases were run, the mean of those that did not fail, and failures, as `time_limit 0003`."""
    scores = [outcome.score for outcome in outcomes if outcome.score is not None]
    mean = {"mean": sum(scores) / len(scores)} if scores else {}
    failures = {f"{outcome.kind} {outcome.case}": 1.0 for outcome in outcomes if outcome.score is None}
    return FrozenDict({"cases": float(len(outcomes)), **mean, **failures})


def _descriptors(outcomes: Sequence[CaseOutcome], limit: float, source: str) -> FrozenDict[str, float]:
    return FrozenDict({"time_used": compute_time_used(outcomes, limit), "code_kb": len(source.encode()) / 1000})
