"""`evo report`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.errors import UserError
from evograft.runs.chosen_run import find_read_run
from evograft.text.escapes import escaped

if TYPE_CHECKING:
    from evograft_report.figures.run_figures import RunFigures
    from evograft_report.toolkit.section import Section

PAGE = "report.html"


@click.command()
@click.argument("run", default="latest")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help=f"The page to write; {PAGE} in the run's folder otherwise."
)
@click.option("--language", type=click.Choice(["en", "ja"]), help="The page's language; that of your locale otherwise.")
@click.option("--plots", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the charts as files, too.")
@click.option(
    "--plot-format",
    type=click.Choice(["svg", "png", "both"]),
    default="both",
    show_default=True,
    help="What --plots writes; PNG needs the extra evograft-report[png].",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON; a page only with --output.")
def report(
    run: str, output: Path | None, language: str | None, plots: Path | None, plot_format: str, *, as_json: bool
) -> None:
    """Write a page about RUN (a name, id, path, or `latest`), live or finished: one HTML file that needs no network.

    Scores over trials and cost, operators and models, the lineage of the best program, failures, line cycling, costs.
    """
    from evograft.text.i18n import usual_language
    from evograft_report.chart_files import get_renderers
    from evograft_report.page import get_catalog, render_page

    folder = find_read_run(run)
    texts = get_catalog(language or usual_language())
    files = get_renderers(plot_format) if plots else {}
    figures, plugin_sections = _read(folder, texts.language)
    if output is not None or not as_json:
        page = output or folder / PAGE
        _write(page, render_page(figures, texts, plugin_sections).encode())
        click.echo(f"page = {page}", err=as_json)
    if plots is not None:
        from evograft_report.charts.report_charts import draw_charts

        for chart in (
            *draw_charts(figures, texts).all,
            *(chart for section in plugin_sections for chart in section.charts),
        ):
            for ending, render in files.items():
                _write(plots / f"{chart.name}.{ending}", render(chart))
        click.echo(f"plots = {plots}", err=as_json)
    if as_json:
        click.echo(escaped(json.dumps(figures.to_data(), ensure_ascii=False, allow_nan=False)))


def render(folder: Path) -> str:
    """Return the page about a run, in the language of the user's locale."""
    from evograft.text.i18n import usual_language
    from evograft_report.page import get_catalog, render_page

    texts = get_catalog(usual_language())
    figures, plugin_sections = _read(folder, texts.language)
    return render_page(figures, texts, plugin_sections)


def _read(folder: Path, language: str) -> tuple[RunFigures, tuple[Section, ...]]:
    from evograft.runs.index import open_run
    from evograft.runs.reader import open_journal
    from evograft_report.figures.run_figures import fold_figures
    from evograft_report.plugin_sections import load_plugin_sections

    run = open_run(folder)
    with open_journal(folder) as journal:
        return fold_figures(run, journal), load_plugin_sections(
            run, journal, language, tell=partial(click.echo, err=True)
        )


def _write(path: Path, content: bytes) -> None:
    from evograft.files import write_atomically

    try:
        write_atomically(path, content)
    except OSError as err:
        raise UserError(f"cannot write {str(path)!r}: {err.strerror}; name another place with --output") from err
