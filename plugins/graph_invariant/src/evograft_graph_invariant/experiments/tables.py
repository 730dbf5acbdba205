"""Tables of experiments, as Markdown: a terminal and a page show it alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.experiments.results import SETS, BenchmarkResults, BenchmarkRow, MeanEstimate, Rate
from evograft_graph_invariant.records.summary.model import BestFormula, SetScore

NOTHING = "–"
WORDS = ("", "set", "variant", "formula")
"""Heads of columns that hold no numbers."""


def format_benchmark(found: BenchmarkResults) -> Iterator[str]:
    """Yield the table of a benchmark with what has to be known about it."""
    yield f"# Benchmark {found.experiment_id}"
    yield ""
    yield f"Seeds {', '.join(map(str, found.seeds))}."
    yield ""
    yield "Means over the seeds and their 95 % intervals, by Student's t; of |ρ| on the scale of Fisher's z."
    yield ""
    heads = ("", "runs", "success", "strict", *(OOD_HEADS.get(name, name) for name in SETS), "AST nodes", "seconds")
    yield from _table(heads, [_cells(entry) for entry in found.entries])
    yield ""
    for entry in found.entries:
        if entry.not_run:
            yield f"- {_plain(entry.name)}: not run: {_plain(entry.not_run)}"
    if found.unfinished:
        yield f"- without a judgement, so in no figure: {', '.join(found.unfinished)}"
    yield from _formulas(found)


def format_ood(best: BestFormula) -> Iterator[str]:
    """How the best formula does out of distribution, beside validation and test."""
    yield f"Formula: `{_plain(best.simplified or best.formula)}`"
    yield ""
    rows = [("validation", best.val), ("test", best.test), *best.ood.items(), ("sanity", best.sanity)]
    heads = ("set", "graphs", "answered", "rho", "95 %", "Pearson", "RMSE", "MAE", "median error")
    yield from _table(heads, [_score_cells(name, score or SetScore()) for name, score in rows])


OOD_HEADS = {name: short for short, name in OOD_NAMES.items()}


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' if head in WORDS else '---:' for head in heads)} |"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _cells(entry: BenchmarkRow) -> list[str]:
    return [
        _plain(entry.name),
        str(entry.runs),
        _share(entry.success),
        _share(entry.strict),
        *(_mean(entry.rho.get(name), 4) for name in SETS),
        _mean(entry.ast_nodes, 1),
        _mean(entry.seconds, 0),
    ]


def _share(rate: Rate | None) -> str:
    return NOTHING if rate is None or not rate.decided else f"{rate.holds} of {rate.decided}"


def _mean(found: MeanEstimate | None, digits: int) -> str:
    if found is None:
        return NOTHING
    if found.low is None or found.high is None:
        return f"{found.mean:.{digits}f}"
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def _score_cells(name: str, score: SetScore) -> list[str]:
    ends = NOTHING if score.low is None or score.high is None else f"{score.low:+.4f} to {score.high:+.4f}"
    return [
        _plain(name),
        NOTHING if score.graphs is None else str(score.graphs),
        NOTHING if score.answered is None else f"{100 * score.answered:.0f} %",
        _number(score.rho, "+.4f"),
        ends,
        _number(score.pearson, "+.4f"),
        _number(score.rmse, ".4g"),
        _number(score.mae, ".4g"),
        _number(score.median_error, ".1%"),
    ]


def _number(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)


def _formulas(found: BenchmarkResults) -> Iterator[str]:
    if not found.formulas:
        return
    yield ""
    yield "## Formulas"
    yield ""
    yield from _table(
        ("variant", "seed", "formula"),
        [(each.variant, str(each.seed), f"`{_plain(each.formula)}`") for each in found.formulas],
    )


def _plain(text: str) -> str:
    """Foreign text that cannot break out of a cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("`", "'")
