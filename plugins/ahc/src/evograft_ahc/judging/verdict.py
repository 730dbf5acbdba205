"""What came of a case, told from how the program ended and what the contest's scorer said."""

from __future__ import annotations

import math
import re
import signal
from dataclasses import dataclass

from evograft_ahc.contests.task import Scorer
from evograft_ahc.judging.messages import render_message
from evograft_ahc.judging.outcome import CaseKind, CaseOutcome, MessagePart
from evograft_ahc.judging.stderr_values import read_values
from evograft_hookspecs import CommandResult, FrozenDict

LONGEST_MESSAGE = 300
PASSED: dict[str, CaseKind] = {
    "cpu": "time_limit",
    "idle": "time_limit",
    "wall": "time_limit",
    "memory": "memory_limit",
    "processes": "process_limit",
    "output": "output_limit",
}
"""The kind of an outcome by the limit that the program passed."""
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
        """The seconds on a machine of its own: without waiting for a core, or for the scorer's thinking."""
        result, beside = self.result, self.beside
        if not result.waited_seconds:  # nobody counts it here
            return result.cpu_seconds
        scorers = beside.cpu_seconds + beside.waited_seconds if beside else 0.0
        return max(result.cpu_seconds, result.wall_seconds - result.waited_seconds - scorers)

    def score(self, score: float | None) -> CaseOutcome:
        """Return the outcome of a case that was scored."""
        return self._end_as("score", score=score)

    def fail(self, kind: CaseKind, *parts: MessagePart) -> CaseOutcome:
        """Return the outcome of a case that failed, with a message made of parts."""
        return self._end_as(kind, render_message(parts, "en"), parts)

    def fail_as_said(self, message: str) -> CaseOutcome:
        """Return the outcome of a wrong answer, in the tester's own words."""
        return self._end_as("wrong_answer", message)

    def _end_as(
        self, kind: CaseKind, message: str = "", parts: tuple[MessagePart, ...] = (), *, score: float | None = None
    ) -> CaseOutcome:
        return CaseOutcome(
            case=self.case,
            kind=kind,
            score=score,
            message=message[:LONGEST_MESSAGE],
            parts=parts,
            values=read_values(self.result.stderr),
            cpu_seconds=self.result.cpu_seconds,
            wall_seconds=self.own_seconds,
            waited_seconds=self.result.waited_seconds or None,
            memory_mb=self.result.peak_memory_mb,
        )


def find_own_failure(run: ProgramRun, *, seconds: float) -> CaseOutcome | None:
    """Return the outcome if the program itself failed, which nothing that a scorer says can override; else `None`.

    Args:
        run: how it ended.
        seconds: its time limit.
    """
    result = run.result
    if result.limit:
        return run.fail(PASSED[result.limit], _part(f"passed_{result.limit}", seconds=seconds))
    if run.own_seconds > seconds:
        return run.fail("time_limit", _part("mostly_idle", seconds=run.own_seconds, limit=seconds))
    if result.exit_code == 0 or (run.beside and result.exit_code in ENDED_BY_ITS_SCORER):
        return None
    return run.fail("runtime_error", _end(result), *_words("words_of_program", _last_words(result)))


def judge_run(run: ProgramRun, said: CommandResult, scorer: Scorer) -> CaseOutcome:
    """Return the outcome if the program did not fail by itself.

    Args:
        run: how the program ended.
        said: how the scorer ended.
        scorer: how its words are read.
    """
    if run.beside and said.limit in ("memory", "output"):
        return run.fail("output_limit", _part("flooded_scorer"))
    score, words = _score_and_words(said, scorer)
    if run.was_started and (wrong := _wrong_words(said, scorer, score, words)):
        return run.fail_as_said(wrong)
    if fault := _fault(run, said, score, scorer):
        return run.fail("tester", _part("scorer"), *fault)
    return run.score(score)


def _wrong_words(said: CommandResult, scorer: Scorer, score: float | None, words: str) -> str:
    """Return what a scorer says of a wrong answer; empty: it was none."""
    text = _text(said.stderr) if scorer.channel == "stderr" else f"{_text(said.stderr)}\n{_text(said.stdout)}"
    if wrong := re.search(scorer.wrong, text):
        return _line_around(wrong)
    # Some explain a wrong answer in words of their own: what they count for it is no score, even where less is better.
    explained = score is not None and (said.exit_code == 1 or (said.exit_code == 0 and score == 0))
    return words if explained and not said.limit else ""


def _fault(run: ProgramRun, said: CommandResult, score: float | None, scorer: Scorer) -> tuple[MessagePart, ...] | None:
    """Return what is the contest's own fault; `None`: nothing."""
    if not run.was_started:
        fault: tuple[MessagePart, ...] = (_part("program_not_started"), _end(said))
    elif said.limit or said.exit_code != 0:
        fault = (_end(said),)
    elif score is None:
        fault = (_part("no_score", channel=scorer.channel),)
    else:
        return None
    return (*fault, *_words("words_of_scorer", _last_words(said)))


def _score_and_words(said: CommandResult, scorer: Scorer) -> tuple[float | None, str]:
    """Return the last score, and the first line on its channel next to scores."""
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


def _end(result: CommandResult) -> MessagePart:
    if result.limit:
        return _part("limit", limit=result.limit)
    if result.exit_code >= 0:
        return _part("exit_status", status=str(result.exit_code))
    try:
        return _part("signal", signal=signal.Signals(-result.exit_code).name)
    except ValueError:
        return _part("signal", signal=f"signal {-result.exit_code}")


def _part(code: str, **values: str | float) -> MessagePart:
    return MessagePart(code=code, values=FrozenDict(values))


def _words(code: str, words: str) -> tuple[MessagePart, ...]:
    """Return a part with what a program said last; none where it said nothing."""
    return (_part(code, words=words[:LONGEST_MESSAGE]),) if words else ()


def _last_words(result: CommandResult) -> str:
    lines = (line.strip() for line in reversed(_text(result.stderr).splitlines()))
    return next(filter(None, lines), "")


def _line_around(match: re.Match[str]) -> str:
    text = match.string
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start:].partition("\n")[0].strip()


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
