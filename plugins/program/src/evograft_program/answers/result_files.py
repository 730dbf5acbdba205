"""Answers in files, as ShinkaEvolve's evaluators write them: `metrics.json` and `correct.json`."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_program.answers.feedback import describe
from evograft_program.answers.fitness import to_float
from evograft_program.answers.parts import KEPT, AnswerParts, take_kept
from evograft_program.answers.results import COMBINED, as_dict, is_number
from evograft_program.options import ScoreRules

TEXT = "text_feedback"
PUBLIC = "public"
PRIVATE = "private"


def read_result_files(answer: object, _: ScoreRules) -> AnswerParts:
    """Take apart a mapping of `metrics` and `correct` to the contents of those files; `None`: there is no such file.

    Models see `combined_score`, `public` and `text_feedback`. All else is kept for people.
    """
    files = as_dict(answer)
    metrics, verdict = as_dict(files.get("metrics")), as_dict(files.get("correct"))
    public = metrics.get(PUBLIC)
    shown = {name: value for name, value in metrics.items() if name == COMBINED} | as_dict(public)
    said = (
        ("error", verdict.get("error")),
        ("", metrics.get(TEXT)),
        ("", None if isinstance(public, dict) else public),
    )
    return AnswerParts(
        metrics=shown,
        fitness=_find_fitness(metrics),
        reason=_find_reason(files),
        said=said,
        hidden={name: value for name, value in metrics.items() if name not in (COMBINED, PUBLIC, TEXT, KEPT)},
        kept=take_kept(metrics),
    )


def _find_fitness(metrics: Mapping[object, object]) -> float | None:
    """Return the combined score, which is 0 where it is missing, as there."""
    combined = metrics.get(COMBINED)
    if combined is None:
        return 0.0
    return to_float(combined) if is_number(combined) else None


def _find_reason(files: Mapping[object, object]) -> str:
    if files.get("correct") is None:
        return "the evaluator wrote no correct.json"
    metrics = files.get("metrics")
    if metrics is not None and not isinstance(metrics, dict):
        return f"metrics.json holds {type(metrics).__name__}, not an object"
    verdict = as_dict(files["correct"])
    if verdict.get("correct"):
        return ""
    error = verdict.get("error")
    return f"not correct: {describe(error)}" if error else "not correct, says correct.json"
