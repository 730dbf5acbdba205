"""Carries out the tools: programs are compiled and run in the judge's sandbox, on training cases only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from evograft.api import did_you_mean
from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_ahc.agent.tools import COMPILE, MOST_CASES, READ_BLOCK, RUN_CASES, SHOW_CASE
from evograft_ahc.contests.task import sign_of
from evograft_ahc.judging.clock import Clock
from evograft_ahc.judging.messages import get_message_text
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.library.blocks import LibraryBlock
from evograft_ahc.scoring.best_scores import CaseBest, collect_best_scores, compute_gain
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.text.messages import Language
from evograft_hookspecs import Context, ToolCall, ToolResult

FEW = 5
"""Cases that are run where none is named."""
KNOWN = 500
"""The newest trials, of which the best score of each case is taken."""
MOST_LINES, MOST_COLUMNS = 60, 240
"""Of an input, an answer or errors that are shown at once."""
MESSAGE = 300
"""Characters of what became of a case."""


class CaseJudge(Protocol):
    """What runs programs on cases."""

    @property
    def training(self) -> tuple[str, ...]:
        """The cases that the search may know."""

    def judge_cases(self, source: str, cases: Sequence[str], clock: Clock) -> tuple[CaseOutcome, ...]:
        """Return the outcomes; CompileFailed: the source is at fault."""

    def input_of(self, case: str) -> bytes | None:
        """Return the input; `None`: programs are not to know it."""

    def printed_by(self, source: str, case: str) -> tuple[bytes | None, bytes | None]:
        """Return standard output and error of a program that ran; `None`: that is not kept."""


class _Refused(Exception):  # noqa: N818 - what the agent asked for cannot be done, and reads why
    pass


@dataclass(frozen=True)
class ContestTools:
    """The tools of an agent at work on a candidate.

    Args:
        ctx: of the call; its history has the best scores so far.
        judge: runs programs.
        blocks: of the library.
        language: of results.
    """

    ctx: Context
    judge: CaseJudge
    blocks: Mapping[str, LibraryBlock]
    language: Language

    def call(self, call: ToolCall) -> ToolResult:
        """Carry out a call; what the agent or its program does wrong is a result that says so."""
        tools: dict[str, Callable[[ToolCall], str]] = {
            COMPILE.name: self._compile,
            RUN_CASES.name: self._run_cases,
            SHOW_CASE.name: self._show_case,
            READ_BLOCK.name: self._read_block,
        }
        try:
            return ToolResult(ok=True, content=tools[call.tool](call))
        except CompileFailed as err:
            return ToolResult(ok=False, content=self._t("not_compiled", diagnostics=err.diagnostics))
        except _Refused as err:
            return ToolResult(ok=False, content=str(err))

    @cached_property
    def _t(self) -> Catalog:
        return Catalog(self.language, __package__)

    def _compile(self, call: ToolCall) -> str:
        self.judge.judge_cases(_source(call), (), self._frame.clock)
        return self._t("compiles")

    # -- running ------------------------------------------------------------------------------------------------------

    def _run_cases(self, call: ToolCall) -> str:
        asked = call.arguments.get("cases") or self.judge.training[:FEW]
        cases = [self._training_case(str(case)) for case in asked[:MOST_CASES]]
        outcomes = self.judge.judge_cases(_source(call), tuple(dict.fromkeys(cases)), self._frame.clock)
        return "\n".join((self._t("columns"), *map(self._row, outcomes), *self._mean(outcomes)))

    def _training_case(self, case: str) -> str:
        training = self.judge.training
        if case not in training:
            raise _Refused(self._t("unknown_case", case=case[:MESSAGE], first=training[0], last=training[-1]))
        return case

    def _row(self, outcome: CaseOutcome) -> str:
        values = (f"{key}={value:.6g}" for key, value in outcome.values.items())
        seconds = f"{outcome.wall_seconds:.2f} s"
        return f"{outcome.case}: {'  '.join((self._result(outcome), seconds, *values))}"

    def _result(self, outcome: CaseOutcome) -> str:
        if outcome.score is None:
            message = sanitize(" ".join(get_message_text(outcome, self.language).split()), MESSAGE)
            return self._t("failed", kind=outcome.kind, message=message)
        best = self._best.get(outcome.case)
        if best is None:
            return f"{outcome.score:.10g} ({self._t('no_best')})"
        gain = compute_gain(outcome.score, best.score, self._sign)
        return f"{outcome.score:.10g} ({self._t('best', best=best.score, gain=gain)})"

    def _mean(self, outcomes: Sequence[CaseOutcome]) -> tuple[str, ...]:
        scores = [outcome.score for outcome in outcomes if outcome.score is not None]
        if not scores:
            return ()
        direction = self._t(self._frame.direction)
        return (self._t("mean", count=len(scores), mean=sum(scores) / len(scores), direction=direction),)

    @cached_property
    def _frame(self) -> ReferenceFrame:
        assert self.ctx.problem is not None, "an agent works on a problem's candidate"
        return ReferenceFrame.within(self.ctx.problem.analysis)

    @property
    def _sign(self) -> int:
        return sign_of(self._frame.direction)

    @cached_property
    def _best(self) -> Mapping[str, CaseBest]:
        return collect_best_scores(self.ctx.history.latest(KNOWN), self._frame.references, self._sign)

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show_case(self, call: ToolCall) -> str:
        case, part = self._training_case(str(call.arguments["case"])), call.arguments["part"]
        content = self._input(case) if part == "input" else self._printed(_source(call), case, part)
        return self._lines(content, call.arguments.get("first", 1))

    def _input(self, case: str) -> bytes:
        content = self.judge.input_of(case)
        if content is None:
            raise _Refused(self._t("interactive"))
        return content

    def _printed(self, source: str, case: str, part: str) -> bytes:
        (outcome,) = self.judge.judge_cases(source, (case,), self._frame.clock)
        output, errors = self.judge.printed_by(source, case)
        content = output if part == "output" else errors
        if content is None:
            raise _Refused(f"{self._row(outcome)}\n{self._t('not_kept')}")
        return content

    def _lines(self, content: bytes, first: int) -> str:
        lines = content.decode(errors="replace").splitlines()
        if not lines:
            return self._t("empty")
        if first > len(lines):
            raise _Refused(self._t("past_the_end", count=len(lines), first=first))
        shown = [sanitize(line, MOST_COLUMNS) for line in lines[first - 1 : first - 1 + MOST_LINES]]
        head = self._t("lines", first=first, last=first + len(shown) - 1, count=len(lines))
        return "\n".join((head, *shown))

    # -- the library --------------------------------------------------------------------------------------------------

    def _read_block(self, call: ToolCall) -> str:
        name = call.arguments.get("name")
        if name is None:
            return "\n".join(f"{stem}: {block.described(self.language)}" for stem, block in self.blocks.items())
        block = self.blocks.get(str(name))
        if block is None:
            raise _Refused(did_you_mean(str(name)[:MESSAGE], self.blocks))
        meta, described = block.meta, block.described(self.language)
        signatures = "; ".join(meta.function_signatures)
        return self._t(
            "block", stem=block.stem, description=described, signatures=signatures, usage=meta.usage_example,
            code=block.code,
        )  # fmt: skip


def _source(call: ToolCall) -> str:
    """Return the candidate's only file."""
    return next(iter((call.files or {"": ""}).values()))
