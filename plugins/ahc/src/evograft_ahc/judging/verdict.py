"""What came of a case, told from how the program ended and what the contest's judge said."""

from __future__ import annotations

import math
import re
import signal

from evograft_ahc.judging.outcome import CaseKind, CaseOutcome
from evograft_ahc.task import Scorer
from evograft_hookspecs import CommandResult

LONGEST_MESSAGE = 300
PASSED: dict[str, tuple[CaseKind, str]] = {
    "cpu": ("time_limit", "more processor time than allowed"),
    "wall": ("time_limit", "still running long after the time limit"),
    "memory": ("memory_limit", "more memory than allowed"),
    "processes": ("process_limit", "more processes than allowed"),
    "output": ("output_limit", "more output than allowed"),
}
ENDED_BY_ITS_JUDGE = (-signal.SIGKILL, -signal.SIGPIPE)
"""How a program ends whose judge has gone: it writes to nobody, or is killed since it outlives it."""


def own_failure(case: str, program: CommandResult, *, judge_may_end_it: bool = False) -> CaseOutcome | None:
    """The outcome of a case in which the program itself failed; nothing that a judge says can override it.

    Args:
        case: its name.
        program: how it ended.
        judge_may_end_it: whether the program ran beside a judge, whose end would be its own.
    """
    if program.limit:
        kind, message = PASSED[program.limit]
        return _outcome(case, program, kind, message)
    if program.exit_code == 0 or (judge_may_end_it and program.exit_code in ENDED_BY_ITS_JUDGE):
        return None
    return _outcome(case, program, "runtime_error", "; ".join(filter(None, (_end(program), _last_words(program)))))


def judged(case: str, program: CommandResult, judge: CommandResult, scorer: Scorer) -> CaseOutcome:
    """The outcome of a case in which the program did not fail by itself, from what the judge said.

    Args:
        case: its name.
        program: how it ended; only its times and memory count here.
        judge: how the contest's scorer ended.
        scorer: how its words are read.
    """
    said = judge.stderr if scorer.channel == "stderr" else judge.stdout
    wrong = re.search(scorer.wrong, _text(judge.stderr) if scorer.channel == "stderr" else _all_text(judge))
    if wrong:
        return _outcome(case, program, "wrong_answer", _line_around(wrong))
    if judge.limit or judge.exit_code != 0:
        return _tester_failed(case, program, judge, _end(judge))
    score = _last_score(_text(said), scorer.pattern)
    if score is None:
        return _tester_failed(case, program, judge, f"printed no score on {scorer.channel}")
    return _outcome(case, program, "score", score=score)


def not_started(case: str, program: CommandResult, judge: CommandResult) -> CaseOutcome:
    """The outcome of a case whose judge was to start the program and did not."""
    return _tester_failed(case, program, judge, f"did not start the program and {_end(judge)}")


def _outcome(
    case: str, program: CommandResult, kind: CaseKind, message: str = "", score: float | None = None
) -> CaseOutcome:
    return CaseOutcome(
        case=case,
        kind=kind,
        score=score,
        message=message[:LONGEST_MESSAGE],
        cpu_seconds=program.cpu_seconds,
        wall_seconds=program.wall_seconds,
        memory_mb=program.peak_memory_mb,
    )


def _tester_failed(case: str, program: CommandResult, judge: CommandResult, how: str) -> CaseOutcome:
    words = _last_words(judge)
    return _outcome(case, program, "tester", f"the contest's own scorer {how}" + (f": {words}" if words else ""))


def _end(ended: CommandResult) -> str:
    if ended.limit:
        return f"was ended by its {ended.limit} limit"
    if ended.exit_code >= 0:
        return f"ended with exit status {ended.exit_code}"
    try:
        return f"was ended by {signal.Signals(-ended.exit_code).name}"
    except ValueError:
        return f"was ended by signal {-ended.exit_code}"


def _last_score(text: str, pattern: str) -> float | None:
    scores = [match[1] for match in re.finditer(pattern, text, re.MULTILINE)]
    try:
        score = float(scores[-1])
    except (IndexError, ValueError):
        return None
    return score if math.isfinite(score) else None


def _last_words(ended: CommandResult) -> str:
    lines = [line.strip() for line in _text(ended.stderr).splitlines()]
    return next((line for line in reversed(lines) if line), "")[:LONGEST_MESSAGE]


def _line_around(match: re.Match[str]) -> str:
    text = match.string
    end = text.find("\n", match.end())
    return text[text.rfind("\n", 0, match.start()) + 1 : len(text) if end < 0 else end].strip()


def _all_text(ended: CommandResult) -> str:
    return f"{_text(ended.stderr)}\n{_text(ended.stdout)}"


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
