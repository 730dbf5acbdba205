"""What `evo report` shows of repeats and confirmations: an entry point of the group `evograft.report`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evograft.api import Finished, Journal, Record, RunFolder
from evograft.text.i18n import Catalog
from evograft_hookspecs import Evaluation
from evograft_program.trust.confirmation import CONFIRMED
from evograft_program.trust.notes import find_record, is_mean
from evograft_program.trust.summary import EVALUATIONS
from evograft_report.toolkit import numbers
from evograft_report.toolkit.section import Section


@dataclass
class TrustFigures:
    """What repeats and confirmations have done in a run."""

    evaluations: int = 0
    repeated: int = 0
    """Candidates with several evaluations."""
    given_up: int = 0
    """Those that lost their race."""
    confirmed: int = 0
    unconfirmed: int = 0
    largest_drop: float = 0.0
    """By how much a score fell when it was confirmed, at most."""

    @classmethod
    def read(cls, records: Iterable[Record]) -> TrustFigures:
        """Count over the log of a run; duplicates were not evaluated."""
        figures = cls()
        for record in records:
            if isinstance(record, Finished) and record.trial.duplicate_of is None:
                figures._add(record.trial.evaluation)
        return figures

    def _add(self, evaluation: Evaluation) -> None:
        if evaluation.status not in ("ok", "pruned") or not is_mean(evaluation):
            return
        self.repeated += 1
        self.evaluations += round(evaluation.metrics[EVALUATIONS])
        self.given_up += evaluation.status == "pruned"
        record = find_record(evaluation)
        if record:
            self.confirmed += bool(record[CONFIRMED])
            self.unconfirmed += not record[CONFIRMED]
            self.largest_drop = max(self.largest_drop, record["first"] - record["then"])


def build_sections(_: RunFolder, journal: Journal, language: str) -> Iterator[Section]:
    """Build the section, where candidates were evaluated more than once."""
    figures = TrustFigures.read(journal.records())
    if figures.repeated:
        yield Section("trust", Catalog(language, __package__)("section"), note=" ".join(_tell(figures, language)))


def _tell(figures: TrustFigures, language: str) -> Iterator[str]:
    t = Catalog(language, __package__)
    yield t("repeated", candidates=figures.repeated, evaluations=figures.evaluations)
    if figures.given_up:
        yield t("given_up", candidates=figures.given_up)
    if figures.confirmed or figures.unconfirmed:
        yield t("confirmed", confirmed=figures.confirmed, unconfirmed=figures.unconfirmed)
        yield t("drop", drop=numbers.score(figures.largest_drop))
