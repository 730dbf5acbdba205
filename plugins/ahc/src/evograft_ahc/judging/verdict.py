"""What came of a case, told from how the program ended and what the contest's scorer said."""

from __future__ import annotations

import math
import re
import signal
from dataclasses import dataclass

from evograft_ahc.contests.task import Scorer
from evograft_ahc.judging.outcome import CaseKind, CaseOutcome
from evograft_hookspecs import CommandResult

LONGEST_MESSAGE = 300
PASSED: dict[str, tuple[CaseKind, str]] = {
    "cpu": ("time_limit", "used more than {seconds:g} s of processor time"),
    "idle": ("time_limit", "did nothing for longer than {seconds:g} s"),
    "wall": ("time_limit", "did not end, though it did not use {seconds:g} s of processor time"),
    "memory": ("memory_limit", "used more memory than is allowed"),
    "processes": ("process_limit", "started more processes than are allowed"),
    "output": ("output_limit", "wrote more than is allowed"),
}
ENDED_BY_ITS_SCORER = (-signal.SIGKILL, -signal.SIGPIPE)
"""How a program ends that outlives the scorer it talks to, or writes to one that is gone."""


@dataclass(frozen=True)
class ProgramRun:
    """How a program ended on a case."""

    case: str
    result: CommandResult
    beside: CommandResult | None = None
    """How the scorer ended that ran it; `None` where the scorer comes afterwards."""

    @property
    def was_started(self) -> bool:
        """Whether the scorer that was to run it has done so."""
        return self.result.wall_seconds > 0

    @property
    def own_seconds(self) -> float:
        """What it would have taken on a machine of its own: without waiting for a core, or for the scorer's thinking."""
        result, beside = self.result, self.beside
        if not result.waited_seconds:  # nobody counts it here
            return result.cpu_seconds
        scorers = beside.cpu_seconds + beside.waited_seconds if beside else 0.0
        return max(result.cpu_seconds, result.wall_seconds - result.waited_seconds - scorers)

    def ended_as(self, kind: CaseKind, message: str = "", *, score: float | None = None) -> CaseOutcome:
        return CaseOutcome(
            case=self.case,
            kind=kind,
            score=score,
            message=message[:LONGEST_MESSAGE],
            cpu_seconds=self.result.cpu_seconds,
            wall_seconds=self.own_seconds,
            memory_mb=self.result.peak_memory_mb,
        )


def find_own_failure(run: ProgramRun, *, seconds: float) -> CaseOutcome | None:
    """The outcome if the program itself failed, which nothing that a scorer says can override; else `None`.

    Args:
        run: how it ended.
        seconds: its time limit.
    """
    result = run.result
    if result.limit:
        kind, message = PASSED[result.limit]
        return run.ended_as(kind, message.format(seconds=seconds))
    if run.own_seconds > seconds:
        return run.ended_as("time_limit", f"took {run.own_seconds:.3g} s of {seconds:g} s, much of it idle")
    if result.exit_code == 0 or (run.beside and result.exit_code in ENDED_BY_ITS_SCORER):
        return None
    return run.ended_as("runtime_error", "; ".join(filter(None, (_end(result), _last_words(result)))))


def judge_run(run: ProgramRun, said: CommandResult, scorer: Scorer) -> CaseOutcome:
    """The outcome if the program did not fail by itself.

    Args:
        run: how the program ended.
        said: how the scorer ended.
        scorer: how its words are read.
    """
    if run.beside and said.limit in ("memory", "output"):
        return run.ended_as("output_limit", "wrote more than the contest's scorer could take")
    score, words = _score_and_words(said, scorer)
    if run.was_started and (wrong := _wrong_words(said, scorer, score, words)):
        return run.ended_as("wrong_answer", wrong)
    if fault := _fault(run, said, score, scorer):
        return run.ended_as("tester", f"the contest's own scorer {fault}")
    return run.ended_as("score", score=score)


def _wrong_words(said: CommandResult, scorer: Scorer, score: float | None, words: str) -> str:
    """What a scorer says of a wrong answer; empty: it was none."""
    text = _text(said.stderr) if scorer.channel == "stderr" else f"{_text(said.stderr)}\n{_text(said.stdout)}"
    if wrong := re.search(scorer.wrong, text):
        return _line_around(wrong)
    # Some explain a wrong answer in words of their own: what they count for it is no score, even where less is better.
    explained = score is not None and (said.exit_code == 1 or (said.exit_code == 0 and score == 0))
    return words if explained and not said.limit else ""


def _fault(run: ProgramRun, said: CommandResult, score: float | None, scorer: Scorer) -> str:
    """What is the contest's own fault; empty: nothing."""
    if not run.was_started:
        fault = f"did not start the program and {_end(said)}"
    elif said.limit or said.exit_code != 0:
        fault = _end(said)
    elif score is None:
        fault = f"printed no score on {scorer.channel}"
    else:
        return ""
    return f"{fault}: {_last_words(said)}".removesuffix(": ")


def _score_and_words(said: CommandResult, scorer: Scorer) -> tuple[float | None, str]:
    """The last score, and the first line on its channel beside scores."""
    text = _text(said.stderr if scorer.channel == "stderr" else said.stdout)
    scores = [match[1] for match in re.finditer(scorer.pattern, text, re.MULTILINE)]
    rest = re.sub(scorer.pattern, "", text, flags=re.MULTILINE)
    return _finite(scores[-1]) if scores else None, next(
        (line.strip() for line in rest.splitlines() if line.strip()), ""
    )


def _finite(text: str) -> float | None:
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def _end(result: CommandResult) -> str:
    if result.limit:
        return f"passed its {result.limit} limit"
    if result.exit_code >= 0:
        return f"ended with exit status {result.exit_code}"
    try:
        return f"was ended by {signal.Signals(-result.exit_code).name}"
    except ValueError:
        return f"was ended by signal {-result.exit_code}"


def _last_words(result: CommandResult) -> str:
    lines = (line.strip() for line in reversed(_text(result.stderr).splitlines()))
    return next(filter(None, lines), "")


def _line_around(match: re.Match[str]) -> str:
    text = match.string
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start:].partition("\n")[0].strip()


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
