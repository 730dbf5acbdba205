"""Values as a reader sees them: `None` or empty was not recorded, and is called so."""

from __future__ import annotations

import math

from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_graph_invariant.records.summary.model import SetScore
from evograft_report.toolkit import numbers

PACKAGE = "evograft_graph_invariant.reporting"


class ReportWording:
    """The words of one language, and values in them."""

    def __init__(self, language: str) -> None:
        self.t = Catalog(language, PACKAGE)

    @property
    def missing(self) -> str:
        return self.t("word.missing")

    def number(self, value: float | None, form: str = ".4g") -> str:
        return self.missing if value is None or not math.isfinite(value) else f"{value:{form}}".replace("-", "−")

    def signed(self, value: float | None) -> str:
        """Format a correlation."""
        return self.number(value, "+.4f")

    def count(self, value: int | None) -> str:
        return self.missing if value is None else numbers.count(value)

    def share(self, value: float | None) -> str:
        return self.missing if value is None else numbers.percent(value, 1.0)

    def dollars(self, value: float | None) -> str:
        return self.missing if value is None else numbers.dollars(value)

    def text(self, value: str, width: int = 300) -> str:
        """Make text from a file fit to be shown."""
        return sanitize(value, width) or self.missing

    def truth(self, value: bool | None) -> str:  # noqa: FBT001 - the value that is put into words
        return self.missing if value is None else self.t("word.yes" if value else "word.no")

    def interval(self, score: SetScore | None) -> str:
        """Format the ends of the 95 % interval of ρ."""
        if score is None or score.low is None or score.high is None:
            return self.missing
        return self.t("word.interval", low=self.signed(score.low), high=self.signed(score.high))

    def set_name(self, name: str) -> str:
        """Return a data set in words; one that is not known keeps its name."""
        key = f"set.{name}"
        return self.t(key) if key in SETS else self.text(name, 60)


SETS = frozenset(
    f"set.{name}"
    for name in ("train", "validation", "test", "sanity", "large_random", "extreme_params", "special_topology")
)
