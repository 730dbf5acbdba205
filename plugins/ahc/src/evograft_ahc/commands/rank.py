"""Where a program would stand in its contest, as commands say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evograft.text.plurals import counted

if TYPE_CHECKING:
    from evograft_ahc.scores.estimate import RankEstimate
    from evograft_ahc.scores.standings import RankPlacement
    from evograft_ahc.text.messages import ProgressReporter


def print_rank(estimate: RankEstimate | None, say: ProgressReporter) -> None:
    """Print an estimate, if there is one, with what it is worth."""
    if estimate is None:
        return
    place = estimate.placement
    ranks, performance = _range(estimate), _performance(place)
    cases = counted(estimate.cases, "case")
    span, span_ja = (f" ({ranks} at 95 %)", f" (95% で {ranks} 位)") if ranks else ("", "")
    say(
        f"would be rank {place.rank}{span}{', performance ' * bool(performance)}{performance}, from {cases}"
        f"{'; at best, since the best scores of the contest were better' * estimate.is_bound}",
        ja=f"本番なら {place.rank} 位相当{span_ja}{'、パフォーマンス ' * bool(performance)}{performance}。"
        f"{estimate.cases} ケースからの推定{' (本番の最良値はもっと良いので、実際はこれより下)' * estimate.is_bound}",
    )


def _range(estimate: RankEstimate) -> str:
    return "-".join(map(str, estimate.ranks or ()))


def _performance(place: RankPlacement) -> str:
    """Return it with what is known of it where no row, or every row, is better."""
    if place.performance is None:
        return ""
    bound = "" if not place.is_beyond else "≥ " if place.rank == 1 else "≤ "
    return f"{bound}{place.performance:.0f}"


def describe_rank(estimate: RankEstimate | None) -> dict[str, Any] | None:
    """Return an estimate as data."""
    if estimate is None:
        return None
    return {
        "score": estimate.score,
        "rank": estimate.placement.rank,
        "ranks_95": estimate.ranks,
        "performance": estimate.placement.performance,
        "is_beyond": estimate.placement.is_beyond,
        "is_bound": estimate.is_bound,
    }
