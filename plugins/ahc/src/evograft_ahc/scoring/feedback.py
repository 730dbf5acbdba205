"""What the next prompt is told of a program: where it fails, and where it is weak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from evograft_ahc.judging.messages import get_message_text
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.comparison import compare_cases
from evograft_ahc.scoring.references import collect_scores
from evograft_ahc.scoring.scale import ScoreScale
from evograft_ahc.scoring.timing import compute_time_used
from evograft_ahc.text.messages import Language

if TYPE_CHECKING:
    from evograft.text.i18n import Catalog

Ending = Literal["", "below_bar", "failed_case"]
"""Why a candidate was not run on all cases; empty: it was, or it solved none."""

WORST = 8
"""Cases listed as weak. A prompt is paid for by length, and more than a few say the same."""
FAILED = 5
MESSAGE = 200
"""Characters of a tester's message; it may repeat what the program printed."""


class FeedbackWriter:
    """The texts of one evaluation.

    Args:
        outcomes: of the cases that were run.
        scale: how the task counts.
        cases: how many there would have been.
        language: of the texts.
        listed: how many of the weakest cases are listed.
    """

    def __init__(
        self, outcomes: Sequence[CaseOutcome], scale: ScoreScale, *, cases: int, language: Language, listed: int = WORST
    ) -> None:
        self._listed = listed
        self._outcomes = outcomes
        self._scale = scale
        self._cases = cases
        self._language = language
        self._failed = [outcome for outcome in outcomes if outcome.score is None]
        self._scores = [outcome.score for outcome in outcomes if outcome.score is not None]

    def text(self, ended: Ending) -> str:
        """Return the whole, a few lines: what came of it, the weakest cases, the failures, the time."""
        return "\n".join((*self._outcome(ended), *self._comparison(), *self._failures(), *self._time()))

    def ending(self, ended: Ending) -> str:
        return self._t(ended, run=len(self._outcomes), cases=self._cases) if ended else ""

    def every_case_failed(self) -> str:
        return self._t("every_case_failed", what=self._failure(self._failed[0]))

    def scorer_failed(self, outcome: CaseOutcome) -> str:
        return self._t("scorer_failed", case=outcome.case, message=self._message(outcome))

    @cached_property
    def _t(self) -> Catalog:
        # Jinja comes along with it.
        from evograft.text.i18n import Catalog

        return Catalog(self._language, __package__)

    def _outcome(self, ended: Ending) -> Iterator[str]:
        yield self._t("solved", solved=len(self._scores), run=len(self._outcomes))
        if self._scores:
            yield self._total()
            if self._failed and self._scale.task.format != "long":
                yield self._t(f"{self._scale.task.format or 'unknown'}_contest")
        if ended:
            yield self._t("ended", reason=self.ending(ended))

    def _total(self) -> str:
        """Return the sum or the mean of the scores, whichever the contest counts."""
        total, count, direction = sum(self._scores), len(self._scores), self._scale.task.direction
        if self._scale.task.score_kind == "absolute_sum":
            return self._t(f"sum_{direction}", sum=f"{total:,.10g}", count=count)
        return self._t(f"mean_{direction}", mean=f"{total / count:,.10g}")

    def _comparison(self) -> Iterator[str]:
        scores = collect_scores(self._outcomes)
        rows = sorted(compare_cases(scores, self._scale.references, self._scale.task.sign), key=lambda row: row.gain)
        if not rows:
            return
        better, worse = sum(row.gain > 0 for row in rows), sum(row.gain < 0 for row in rows)
        if not (self._listed or better or worse):
            return  # it is the reference, and what is told of its cases says so
        average = _percent(sum(row.gain for row in rows) / len(rows))
        yield self._t("compared", better=better, worse=worse, equal=len(rows) - better - worse, average=average)
        if self._listed:
            yield self._t("weakest")
        for row in rows[: self._listed]:
            yield f"{row.case} {row.score:.10g} {row.reference:.10g} {_percent(row.gain)}"

    def _failures(self) -> Iterator[str]:
        if self._failed:
            yield self._t("failures")
            yield from map(self._failure, self._failed[:FAILED])
        if len(self._failed) > FAILED:
            yield self._t("more_failures", n=len(self._failed) - FAILED)

    def _failure(self, outcome: CaseOutcome) -> str:
        message = self._message(outcome)
        return f"{outcome.case}: {self._t(outcome.kind)}" + (f" ({message})" if message else "")

    def _message(self, outcome: CaseOutcome) -> str:
        return _line(get_message_text(outcome, self._language))

    def _time(self) -> Iterator[str]:
        # How long a program takes that solves nothing says nothing about room for more search.
        if self._scores:
            used = compute_time_used(self._outcomes, self._scale.task.time_limit_seconds)
            yield self._t(f"time_{used:g}", limit=f"{self._scale.task.time_limit_seconds:g}")


def _percent(share: float) -> str:
    return f"{100 * share:+.2f} %"


def _line(message: str) -> str:
    """Return as much of what a stranger's program said as fits on a line."""
    from evograft.text.escapes import sanitize

    return sanitize(" ".join(message.split()), MESSAGE)
