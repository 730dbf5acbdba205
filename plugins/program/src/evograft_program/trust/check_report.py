"""A check of an evaluator as a table, as JSON and as an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evograft.cli_kit.printing import print_json
from evograft.text.escapes import one_line, sanitize
from evograft_program.trust.checking import EvaluatorCheck, UnwantedCheck
from evograft_program.trust.judgement import Finding, Severity, judge
from evograft_program.trust.summary import find_spread

if TYPE_CHECKING:
    from rich.table import Table

WORTHLESS = 2
"""The exit code where a broken program is as good as the start program."""
LONGEST = 60


def report_check(check: EvaluatorCheck, *, as_json: bool) -> int:
    """Print what was found out; return the exit code."""
    findings = judge(check)
    if as_json:
        print_json(to_data(check, findings))
    else:
        _print(check, findings)
    return WORTHLESS if any(each.severity is Severity.BROKEN for each in findings) else 0


def to_data(check: EvaluatorCheck, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a check as plain data."""
    start = check.start
    return {
        "start": None
        if start is None
        else {
            "scores": start.scores,
            "score_std": find_spread(start.scores) if start.scores else None,
            "repeatable": start.is_repeatable,
            "seconds": start.seconds,
            "memory_mb": start.memory_mb,
            "reason": start.failure.reason if start.failure else "",
        },
        "unwanted": [
            {
                "name": each.program.name,
                "status": each.evaluation.status if each.is_itself else "not tried",
                "score": each.score,
                "reason": each.evaluation.reason,
                "seconds": each.seconds,
            }
            for each in check.unwanted
        ],
        "findings": [{"severity": each.severity.value, "text": each.text} for each in findings],
    }


def _print(check: EvaluatorCheck, findings: Sequence[Finding]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    console.print(_build_table(check))
    for each in findings:
        style = {Severity.BROKEN: "bold red", Severity.WARNING: "yellow", Severity.NOTE: ""}[each.severity]
        console.print(Text(f"{each.severity.value:8}{sanitize(each.text)}", style=style))


def _build_table(check: EvaluatorCheck) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table("program", "score", "spread", "seconds", "memory", "what became of it")
    for row in _list_rows(check):
        table.add_row(*map(Text, row))
    return table


def _list_rows(check: EvaluatorCheck) -> list[tuple[str, str, str, str, str, str]]:
    rows, start = [], check.start
    if start is not None:
        scores = start.scores
        score = f"{sum(scores) / len(scores):.6g}" if scores else ""
        spread = f"{find_spread(scores):.3g}" if scores else ""
        became = f"rejected: {start.failure.reason}" if start.failure else f"{len(start.evaluations)} evaluations"
        rows.append(("yours", score, spread, f"{start.seconds:.3g}", f"{start.memory_mb:.0f} MB", _shorten(became)))
    for each in check.unwanted:
        score = "" if each.score is None else f"{each.score:.6g}"
        rows.append((each.program.name, score, "", f"{each.seconds:.3g}", "", _shorten(_describe(each))))
    return rows


def _describe(each: UnwantedCheck) -> str:
    if not each.is_itself:
        return "not tried: its functions returned no numbers"
    return each.evaluation.status if each.evaluation.status == "ok" else f"rejected: {each.evaluation.reason}"


def _shorten(text: str) -> str:
    line = sanitize(one_line(text))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
