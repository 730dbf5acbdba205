"""`evo graph conjecture`: inequalities between invariants that no graph in reach violates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.api import UserError, did_you_mean
from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES

if TYPE_CHECKING:
    from evograft_graph_invariant.conjectures.study import ConjectureStudyResult

PATH = click.Path(path_type=Path)


INTERRUPTED = 130


class KnownName(click.Choice):  # type: ignore[type-arg]  # generic in newer versions only
    """One of many names; of a misspelt one it says which are near."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            self.fail(f"{value!r} is unknown; {did_you_mean(value, self.choices)}", param, ctx)
        return value


@click.command()
@click.option(
    "--target",
    "targets",
    multiple=True,
    type=KnownName(INVARIANT_NAMES),
    metavar="INVARIANT",
    help="Search for bounds of this invariant; may be repeated. All are searched otherwise.",
)
@click.option(
    "--using",
    "invariants",
    multiple=True,
    type=KnownName(INVARIANT_NAMES),
    metavar="INVARIANT",
    help="Make bounds of this invariant; may be repeated. All are used otherwise.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    type=KnownName([*PROPERTY_NAMES, "none"]),
    metavar="PROPERTY",
    help="Allow this property as a hypothesis; may be repeated. All are allowed otherwise; none: no hypotheses.",
)
@click.option(
    "--order", type=click.IntRange(4, 8), default=8, show_default=True, help="Try all connected graphs up to here."
)
@click.option(
    "--trees", type=click.IntRange(0, 14), default=14, show_default=True, help="Try all trees up to here; 0: none."
)
@click.option(
    "--graphs", "files", multiple=True, type=PATH, metavar="PATH", help="Try the graphs of a file or folder too."
)
@click.option(
    "--search",
    "budget",
    type=click.IntRange(0),
    default=300,
    show_default=True,
    help="Draw this many graphs of each larger order against a bound.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Keep this many bounds of a target and a sense.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the search for counterexamples."
)
@click.option("--out", type=PATH, metavar="FOLDER", help="Write a page, LaTeX, Lean, SageMath and JSON there.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def conjecture(  # noqa: PLR0913, PLR0917 - an option each
    targets: tuple[str, ...],
    invariants: tuple[str, ...],
    properties: tuple[str, ...],
    order: int,
    trees: int,
    files: tuple[Path, ...],
    budget: int,
    most: int,
    seed: int,
    out: Path | None,
    *,
    as_json: bool,
) -> int:
    """Conjecture inequalities between invariants of connected graphs.

    Bounds are fitted to all connected graphs of up to 7 nodes, tried on larger graphs, and fitted again with the graphs
    that violate them.
    """
    import json

    from evograft_graph_invariant.conjectures.engine import ConjectureOptions
    from evograft_graph_invariant.conjectures.output.terminal import format_study
    from evograft_graph_invariant.conjectures.pools.files import require_readable
    from evograft_graph_invariant.conjectures.study import ConjectureStudy
    from evograft_graph_invariant.conjectures.table import load_table
    from evograft_graph_invariant.graphs.cache import get_cache_folder

    options = ConjectureOptions(
        targets=targets or INVARIANT_NAMES,
        invariants=invariants or INVARIANT_NAMES,
        properties=tuple(name for name in properties or PROPERTY_NAMES if name != "none"),
        most=most,
    )
    if out is not None:
        _require_writable(out)
    require_readable(files)
    table = load_table(order, trees, folder=get_cache_folder())
    result = ConjectureStudy(table, options, budget=budget, files=files, seed=seed, note=_note).run()
    if out is not None:
        _write(result, out, quiet=as_json)
    if as_json:
        click.echo(json.dumps(result.to_json(), ensure_ascii=False))
    else:
        for line in format_study(result, most=most):
            click.echo(line)
    return 0 if result.is_complete else INTERRUPTED


def _require_writable(out: Path) -> None:
    """Make the folder and a file in it, which is removed: only that tells whether it can be done."""
    import tempfile

    try:
        out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out).close()
    except OSError as error:
        raise UserError(f"--out {out}: no files can be written there: {error.strerror}; name another folder") from error


def _write(result: ConjectureStudyResult, out: Path, *, quiet: bool) -> None:
    from evograft_graph_invariant.conjectures.output.files import write_study

    for path in write_study(result, out):
        click.echo(f"wrote {path}", err=quiet)


def _note(text: str) -> None:
    click.echo(text, err=True)
