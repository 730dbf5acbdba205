"""How a run was judged: by which clock, with how much of a core, and what races saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evograft.api import Commit
from evograft.text.i18n import Catalog
from evograft_ahc.judging.clock import Clock
from evograft_ahc.judging.core_share import ENOUGH, compute_core_share
from evograft_ahc.scoring.racing.audit import Audit
from evograft_ahc.scoring.stages import WAITING


@dataclass(frozen=True)
class JudgingSummary:
    """Of all trials of a run."""

    clock: Clock
    core_share: float | None
    """`None`: nobody counted what programs waited for."""
    pruned: int
    cases_run: int
    cases: int
    """What there would have been without races."""
    audits: tuple[Audit, ...]

    def describe(self, t: Catalog) -> str:
        """Return a few sentences; empty: there is nothing to say."""
        lines = [t("judging.clock_cpu")] if self.clock == "cpu" else []
        if self.core_share is not None and self.core_share < ENOUGH:
            lines.append(t(f"judging.share_{self.clock}", share=f"{self.core_share:.2f}"))
        if self.pruned:
            saved = f"{100 * (1 - self.cases_run / self.cases):.0f}"
            lines.append(t("judging.saved", n=self.pruned, saved=saved))
        if self.audits:
            lines.append(t("judging.audited", n=len(self.audits), better=sum(audit.gain > 0 for audit in self.audits)))
        return " ".join(lines)


def summarize_judging(commits: Sequence[Commit], clock: Clock) -> JudgingSummary:
    """Summarize the trials whose programs were run on cases."""
    judged = [commit for commit in commits if "cases" in commit.trial.evaluation.metrics]
    run = [int(commit.trial.evaluation.metrics["cases"]) for commit in judged]
    waits = [commit.finished for commit in judged if WAITING in commit.finished.durations]
    audits = (Audit.find(commit.trial.evaluation) for commit in judged)
    return JudgingSummary(
        clock=clock,
        core_share=compute_core_share(
            sum(each.seconds for each in waits), sum(each.durations[WAITING] for each in waits)
        )
        if waits
        else None,
        pruned=sum(commit.trial.evaluation.status == "pruned" for commit in judged),
        cases_run=sum(run),
        cases=len(run) * max(run, default=0),
        audits=tuple(audit for audit in audits if audit is not None),
    )
