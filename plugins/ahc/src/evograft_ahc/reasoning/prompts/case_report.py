"""What a prompt tells of a program case by case: scores next to the best so far, values, inputs and outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_ahc.contests.task import sign_of
from evograft_ahc.judging.stderr_values import MOST
from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis
from evograft_ahc.reasoning.prompts.templates import quote
from evograft_ahc.scoring.best_scores import CaseBest, collect_best_scores, compute_gain
from evograft_ahc.scoring.case_details import CaseDetails
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_hookspecs import Trial

WEAKEST = 8
"""Cases that are told of at length; a prompt is paid for by length, and more than a few say the same."""
SHOWN = 2
"""Cases of which input and output are shown; where no program was better, one, as a sample."""
MOST_LINES, MOST_COLUMNS = 12, 160
"""Of an input or output that is shown."""
A_LINE = 6
"""Scores in a line."""
EQUAL = 1e-9
"""Less of a difference is none."""


Counting = Literal["sum", "mean"]
"""What the score over cases is."""


class CaseFiles(Protocol):
    """The files of cases that prompts may show."""

    def input_of(self, case: str) -> bytes | None:
        """Return the input; `None`: programs are not to know it."""

    def output_of(self, source: str, case: str) -> bytes | None:
        """Return what a program printed on a case; `None`: it is not kept."""


@dataclass(frozen=True)
class CaseRow:
    """A program on a case that another one did better."""

    case: str
    score: float
    best: CaseBest
    gain: float
    """Below 0."""


@dataclass(frozen=True)
class CaseReport:
    """A program's cases, as a trial may know them.

    Args:
        trial: of the program.
        best: the best score so far, by case.
        sign: 1 where more is better, else -1.
        seconds: that a case may take.
        files: of cases.
        heads: how the input of each case begins.
        language: of the text.
        counts: the contest's score over cases.
        compared: whether there are other programs to compare with.
    """

    trial: Trial
    best: Mapping[str, CaseBest]
    sign: int
    seconds: float
    files: CaseFiles
    heads: Mapping[str, str]
    language: str
    counts: Counting = "mean"
    compared: bool = True

    @cached_property
    def losses(self) -> tuple[CaseRow, ...]:
        """The cases that another program did better, the greatest loss first."""
        rows = (
            CaseRow(case, score, self.best[case], compute_gain(score, self.best[case].score, self.sign))
            for case, score in self._scores.items()
            if case in self.best
        )
        return tuple(sorted((row for row in rows if row.gain < -EQUAL), key=lambda row: (row.gain, row.case)))

    @property
    def title(self) -> str:
        return self._t("cases_title", number=self.trial.number)

    def text(self) -> str:
        """Return the whole, bounded by the numbers above."""
        parts = (self._standing(), self._weakest(), self._rest(), self._values(), self._seconds(), *self._samples())
        return "\n\n".join(filter(None, parts))

    @cached_property
    def _t(self) -> Catalog:
        return Catalog(self.language, __package__)

    @property
    def _scores(self) -> Mapping[str, float]:
        return self.trial.evaluation.cases

    @cached_property
    def _details(self) -> CaseDetails:
        return CaseDetails.within(self.trial.evaluation)

    @cached_property
    def _telling_heads(self) -> Mapping[str, str]:
        """How inputs begin; nothing where all begin alike, which tells no case from another."""
        heads = {self.heads.get(case, "") for case in self._scores}
        return self.heads if len(heads) > 1 else {}

    def _standing(self) -> str:
        known = [case for case in self._scores if case in self.best]
        if not self.losses or not known:
            return self._t("none_better") if self.compared else ""
        parts = 1 if self.counts == "sum" else len(known)
        best, own = (sum(scores) / parts for scores in self._sums(known))
        return self._t(f"best_{self.counts}", best=f"{best:,.10g}", own=f"{own:,.10g}", count=len(known))

    def _sums(self, cases: Sequence[str]) -> tuple[list[float], list[float]]:
        return [self.best[case].score for case in cases], [self._scores[case] for case in cases]

    def _weakest(self) -> str:
        rows = [self._row(row) for row in self.losses[:WEAKEST]]
        title = self._t("weakest_with_heads" if self._telling_heads else "weakest")
        return "\n".join((f"{title}:", quote("\n".join(rows)))) if rows else ""

    def _row(self, row: CaseRow) -> str:
        by = self._t("before") if row.best.trial is None else f"#{row.best.trial}"
        values = " ".join(f"{key}={value:.6g}" for key, value in self._details.values.get(row.case, {}).items())
        told = (row.case, f"{row.score:.10g}", f"{row.best.score:.10g} ({by})", f"{100 * row.gain:+.2f} %")
        return "  ".join(filter(None, (*told, sanitize(self._telling_heads.get(row.case, ""), 80), values)))

    def _rest(self) -> str:
        told = {row.case for row in self.losses[:WEAKEST]}
        scores = [f"{case}: {score:.10g}" for case, score in sorted(self._scores.items()) if case not in told]
        lines = [", ".join(scores[first : first + A_LINE]) for first in range(0, len(scores), A_LINE)]
        return "\n".join((f"{self._t('rest' if told else 'all')}:", quote("\n".join(lines)))) if lines else ""

    def _values(self) -> str:
        by_key: dict[str, list[float]] = {}
        for values in self._details.values.values():
            for key, value in values.items():
                by_key.setdefault(key, []).append(value)
        # Each case may have printed other keys.
        known = list(by_key.items())[:MOST]
        lines = [f"{key}: {sum(v) / len(v):.6g}, {min(v):.6g} … {max(v):.6g}" for key, v in known]
        return "\n".join((f"{self._t('values')}:", quote("\n".join(lines)))) if lines else ""

    def _seconds(self) -> str:
        if self._details.seconds is None:
            return ""
        mean, most = self._details.seconds
        return self._t("seconds", mean=f"{mean:g}", most=f"{most:g}", limit=f"{self.seconds:g}")

    def _samples(self) -> Iterator[str]:
        """Yield input and output of the weakest cases; of any case where none is weak."""
        cases = [row.case for row in self.losses[:SHOWN]] or sorted(self._scores)[:1]
        for case in cases:
            given = self.files.input_of(case)
            if given is None:
                return
            yield f"{self._t('input', case=case)}\n{quote(self._cut(given))}"
            printed = self.files.output_of(self.trial.candidate.source, case) if self.trial.candidate else None
            if printed is not None:
                yield f"{self._t('output')}\n{quote(self._cut(printed))}"

    def _cut(self, content: bytes) -> str:
        """Return as many lines as are shown, each made harmless."""
        lines = content[: MOST_LINES * 10_000].decode(errors="replace").splitlines()
        shown = [sanitize(line, MOST_COLUMNS) for line in lines[:MOST_LINES]]
        left_out = len(lines) - len(shown)
        return "\n".join((*shown, *([self._t("cut", count=left_out)] if left_out else [])))


def build_case_report(
    trial: Trial,
    known: Iterable[Trial],
    analysis: Mapping[str, object],
    files: CaseFiles,
    language: str,
    counts: Counting = "mean",
) -> CaseReport:
    """Build the report of a program.

    Args:
        trial: of the program.
        known: what its reader may know; the best score of each case is among theirs.
        analysis: of the problem.
        files: of cases.
        language: of the text.
        counts: the contest's score over cases.
    """
    frame, problem = ReferenceFrame.within(analysis), ProblemAnalysis.within(analysis)
    sign = sign_of(frame.direction)
    others = [each for each in known if each.number != trial.number and each.evaluation.cases]
    best = collect_best_scores((trial, *others), frame.references, sign)
    seconds = problem.statement.time_limit_ms / 1000
    compared = bool(others) or trial.number != 0
    return CaseReport(trial, best, sign, seconds, files, problem.inputs, language, counts, compared)


def list_better_cases(one: Trial, other: Trial, sign: int, most: int = WEAKEST) -> Collection[str]:
    """Return the cases on which one program is better than another, as `0003 (+2.10 %)`, the greatest gain first."""
    theirs = other.evaluation.cases
    gains = {
        case: compute_gain(score, theirs[case], sign) for case, score in one.evaluation.cases.items() if case in theirs
    }
    better = sorted((case for case, gain in gains.items() if gain > EQUAL), key=lambda case: (-gains[case], case))
    return [f"{case} ({100 * gains[case]:+.2f} %)" for case in better[:most]]
