"""What prompts tell that follows from the trials so far: cases, earlier attempts, and where to look this time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evograft.text.i18n import Catalog
from evograft_ahc.contests.task import sign_of
from evograft_ahc.judging.judge import JudgeFacts
from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis
from evograft_ahc.reasoning.prompts.attempts import describe_attempts
from evograft_ahc.reasoning.prompts.case_report import CaseFiles, CaseReport, Counting, build_case_report
from evograft_ahc.reasoning.prompts.templates import PromptTemplates
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_hookspecs import Advice, Context, Problem, Trial

KNOWN = 500
"""The newest trials, of which the best score of each case is taken."""
STOP = 0.9
"""The share of the time limit at which a search had better stop."""


@dataclass(frozen=True)
class JudgedCases:
    """Where observations come from, the same for a whole run."""

    files: CaseFiles
    judge: JudgeFacts
    count: int
    """Of the training cases."""
    aim: float | None = None
    """A mean score of a case that is good, if one is known."""
    counts: Counting = "mean"
    """Whether the contest's score is the sum over cases or their mean."""


@dataclass(frozen=True)
class Observations:
    """Those of a trial.

    Args:
        ctx: of `propose`.
        problem: what is being solved.
        parent: the program that is changed; `None`: there is none.
        cases: files and judge.
        prompts: the templates.
        language: of texts that no template holds.
    """

    ctx: Context
    problem: Problem
    parent: Trial | None
    cases: JudgedCases
    prompts: PromptTemplates
    language: str

    @property
    def sign(self) -> int:
        return sign_of(ReferenceFrame.within(self.problem.analysis).direction)

    @cached_property
    def report(self) -> CaseReport | None:
        """Of the parent's cases; `None`: it has none."""
        if self.parent is None or not self.parent.evaluation.cases:
            return None
        return build_case_report(
            self.parent, self._known, self.problem.analysis, self.cases.files, self.language, self.cases.counts
        )

    def advice(self) -> tuple[Advice, ...]:
        """Return sections about the judge and the parent's cases."""
        judge = Advice(id="ahc.judge", title=self._t("judge_title"), text=self._judge())
        if self.report is None:
            return (judge,)
        return judge, Advice(id="ahc.cases", title=self.report.title, text=self.report.text(), of_parent=True)

    def extend(self, instruction: str, group: str) -> str:
        """Return an instruction with what was tried in the same way, and with what no trial in flight looks at."""
        aspects = self.prompts["aspects"].splitlines()
        wording = "aspect_of_new" if group == "use_time" else "aspect_else" if instruction else "aspect"
        aspect = self._t(wording, aspect=aspects[(self.ctx.trial or 0) % len(aspects)])
        return "\n\n".join(filter(None, (instruction, describe_attempts(self._known, group, self.language), aspect)))

    @cached_property
    def _known(self) -> tuple[Trial, ...]:
        return self.ctx.history.latest(KNOWN)

    @cached_property
    def _t(self) -> Catalog:
        return Catalog(self.language, __package__)

    def _judge(self) -> str:
        problem, judge = ProblemAnalysis.within(self.problem.analysis), self.cases.judge
        seconds = problem.statement.time_limit_ms / 1000
        facts = self.prompts.fill(
            "judge",
            compiler=f"`{judge.command}` ({judge.version})",
            libraries=self._libraries(),
            time=f"{seconds:g}",
            stop=f"{STOP * seconds:g}",
            clock=self._t(f"clock_{ReferenceFrame.within(self.problem.analysis).clock}"),
            memory=str(problem.statement.memory_limit_mb),
            cases=str(self.cases.count),
            noise="" if problem.noise is None else self._t("noise", noise=f"{100 * problem.noise:.2g}"),
        ).replace(" \n", "\n")
        return "\n\n".join(filter(None, (facts, self._aim())))

    def _aim(self) -> str:
        aim, count = self.cases.aim, self.cases.count
        if aim is None:
            return ""
        return self._t(f"aim_{self.cases.counts}", aim=f"{aim:,.10g}", sum=f"{aim * count:,.10g}", count=count)

    def _libraries(self) -> str:
        there, missing = (
            " ".join(f"`{flag}`" for flag in flags) for flags in (self.cases.judge.libraries, self.cases.judge.missing)
        )
        if not there:
            return self._t("libraries_none")
        return self._t("libraries", there=there, missing=missing) if missing else self._t("libraries_all", there=there)
