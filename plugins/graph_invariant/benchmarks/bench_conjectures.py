"""How many of twenty classical bounds are found from data alone (benchmarks/bench_conjectures.py).

The list, `classical_bounds.yaml`, was written before the search, which never reads it. All its targets are searched
without hypotheses and without the search for counterexamples. A bound is found as stated if a conjecture has its values
on every graph of the table, as implied if it is a sum of conjectures, or is nowhere sharper than those on its target.
"""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np
import yaml

from evograft_graph_invariant.conjectures.bounds.dalmatian import RankedBound
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.engine import ConjectureOptions, ConjectureSearch, find_violations
from evograft_graph_invariant.conjectures.table import InvariantTable, load_table
from evograft_graph_invariant.conjectures.theorems.implication import find_premises
from evograft_graph_invariant.graphs.cache import get_cache_folder

LIST = Path(__file__).parent / "classical_bounds.yaml"


def main() -> None:
    listed = [Inequality.parse(each["statement"]) for each in yaml.safe_load(LIST.read_text(encoding="utf-8"))]
    table = load_table(folder=get_cache_folder())
    started = time.process_time()
    options = ConjectureOptions(targets=tuple(sorted({each.target for each in listed})), properties=())
    bounds = ConjectureSearch(table, options, click.echo).run()
    seconds = time.process_time() - started
    found = [judge(each, bounds, table) for each in listed]
    for inequality, word in zip(listed, found, strict=True):
        click.echo(f"{word:<10} {inequality.statement}")
    false = sum(len(find_violations(bound.inequality, table)) > 0 for bound in bounds)
    click.echo(
        f"as stated {found.count('as stated')}, implied {found.count('implied')}, missed {found.count('missed')}"
    )
    click.echo(f"bounds kept {len(bounds)}, of these false on the table {false}; {seconds:.0f} s of CPU")


def judge(inequality: Inequality, bounds: list[RankedBound], table: InvariantTable) -> str:
    """Return whether a bound was found `as stated`, is `implied` by what was found, or was `missed`."""
    wanted = inequality.compute_slack(table.columns)
    side = (inequality.target, inequality.sense)
    slacks = [
        bound.inequality.compute_slack(table.columns)
        for bound in bounds
        if (bound.inequality.target, bound.inequality.sense) == side
    ]
    if any(np.allclose(slack, wanted, atol=1e-8) for slack in slacks):
        return "as stated"
    sharper = bool(slacks) and bool((np.min(slacks, axis=0) <= wanted + 1e-8).all())
    is_sum = find_premises(inequality, [bound.inequality for bound in bounds]) is not None
    return "implied" if sharper or is_sum else "missed"


if __name__ == "__main__":
    main()
