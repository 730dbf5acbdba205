"""The honest score: the best candidate on cases that no choice has depended on."""

from __future__ import annotations

from collections.abc import Sequence

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import build_evaluation
from evograft_ahc.scoring.interval import Interval, compute_interval
from evograft_ahc.scoring.scale import ScoreScale
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Evaluation


def build_final_evaluation(
    outcomes: Sequence[CaseOutcome], scale: ScoreScale, *, source: str, language: Language = "en"
) -> Evaluation:
    """Build the final evaluation.

    Args:
        outcomes: of held-out cases.
        scale: its references' scores on these cases, where it has some, are compared with case by case.
        source: the program.
        language: what is said is written in.

    Returns:
        An evaluation as in the search, with the 95 % interval of the mean per case in the metrics `low` and `high`,
        that of the gain over the start program in `gain`, `gain_low` and `gain_high`, and a few sentences as feedback.
    """
    evaluation = build_evaluation(outcomes, scale, cases=len(outcomes), source=source, language=language)
    if evaluation.status != "ok":
        return evaluation
    mean = compute_interval(list(scale.points_of(outcomes).values()))
    gain = _gain(outcomes, scale)
    metrics = {**evaluation.metrics, "low": mean.low, "high": mean.high}
    if gain:
        metrics |= {"gain": gain.mean, "gain_low": gain.low, "gain_high": gain.high}
    said = _said(len(outcomes), mean, gain, scale, language)
    return evaluation.model_copy(update={"metrics": metrics, "feedback": f"{said}\n{evaluation.feedback}"})


def _gain(outcomes: Sequence[CaseOutcome], scale: ScoreScale) -> Interval | None:
    """Return by how much the start program is beaten, case by case; `None` if it was not run."""
    start = scale.references.programs[0] if scale.references.programs else {}
    cases = [outcome.case for outcome in outcomes]
    if not set(cases) & set(start):
        return None
    ours, theirs = scale.points_of(outcomes), scale.points_on(cases, start)
    return compute_interval([ours[case] - theirs[case] for case in cases])


def _said(cases: int, mean: Interval, gain: Interval | None, scale: ScoreScale, language: Language) -> str:
    from evograft.text.i18n import Catalog

    t = Catalog(language, __package__)
    # In absolute kinds points are the contest's own score, turned where less is better: people know it unturned.
    shown = mean.times(scale.task.sign) if scale.task.score_kind.startswith("absolute") else mean
    lines = [t("held_out", n=cases, **_numbers(shown))]
    if gain:
        lines.append(t("gain", **_numbers(gain)))
    return "\n".join(lines)


def _numbers(interval: Interval) -> dict[str, str]:
    return {name: f"{value:,.6g}" for name, value in vars(interval).items()}
