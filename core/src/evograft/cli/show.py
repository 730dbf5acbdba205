"""`evo show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.cli.run import overrides
from evograft.cli_kit.printing import print_json, print_text
from evograft.errors import UserError
from evograft.runs.chosen_run import find_read_run
from evograft.text.escapes import escape_controls, escaped

if TYPE_CHECKING:
    from evograft.runs.lock_file import RunFolder
    from evograft_hookspecs import Trial


@click.command()
@click.argument("run", required=False)
@click.option("--plugin", help="The pipeline that this plugin ships.")
@click.option("--file", "file", type=click.Path(path_type=Path), help="A pipeline file.")
@overrides
@click.option("--trial", metavar="N|best", help="A trial of the run: its program and what it is worth.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(
    run: str | None,
    plugin: str | None,
    file: Path | None,
    overrides: tuple[str, ...],
    trial: str | None,
    *,
    as_json: bool,
) -> None:
    """Print the resolved pipeline of RUN, of a plugin's preset or of a file, or one trial of RUN."""
    if plugin or file:
        if run is not None or trial is not None:
            raise UserError("show one thing: a RUN, or --plugin NAME, or --file FILE; --trial goes with a RUN")
        _show_pipeline(plugin, file, overrides, as_json=as_json)
        return
    if overrides:
        raise UserError("--set goes with --plugin or --file; a run's settings are changed with: evo resume RUN --set")
    from evograft.runs.index import open_run

    folder = open_run(find_read_run(run or "latest"))
    if trial is not None:
        _print_trial(_find_trial(folder, trial), as_json=as_json)
        return
    _print_pipeline(folder.pipeline.to_data(), as_json=as_json)


def _show_pipeline(plugin: str | None, file: Path | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    from evograft.config.loading import resolve_pipeline
    from evograft.session.compose import load_pipeline_data
    from evograft.session.settings_changes import with_chosen_drivers
    from evograft.session.start import check

    data, source = load_pipeline_data(file, plugin)
    pipeline = resolve_pipeline(with_chosen_drivers(data, overrides), overrides, source=source)
    check(pipeline)
    _print_pipeline(pipeline.to_data(), as_json=as_json)


def _print_pipeline(data: dict[str, Any], *, as_json: bool) -> None:
    import yaml

    if as_json:
        print_json(data)
    else:
        print_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), nl=False)


def _find_trial(run: RunFolder, word: str) -> Trial:
    from evograft.log.history import RunHistory
    from evograft.runs.reader import reading_run

    if word != "best" and not word.isdecimal():
        raise UserError(f"--trial {word!r}: a number, or `best`")
    with reading_run(run) as journal:
        history = RunHistory.follow(journal, run.pipeline)
        if word == "best":
            if history.best is None:
                raise UserError("no trial of this run has a score yet")
            return history.best
        if int(word) not in journal.finished_trials():
            raise UserError(f"--trial {word}: the run has no such trial yet")
        return journal.trial(int(word))


def _print_trial(trial: Trial, *, as_json: bool) -> None:
    if as_json:
        click.echo(escaped(trial.model_dump_json()))
        return
    evaluation, candidate = trial.evaluation, trial.candidate
    click.echo(
        f"# trial {trial.number}: {evaluation.status}" + ("" if trial.score is None else f", score {trial.score:.6g}")
    )
    if evaluation.reason:
        click.echo(escape_controls(f"# {evaluation.reason}"))
    for name, value in evaluation.metrics.items():
        click.echo(escape_controls(f"# metric {name}: {value:.6g}"))
    for line in evaluation.feedback.splitlines():
        click.echo(escape_controls(f"# feedback: {line}"))
    if candidate is not None:
        parents = ", ".join(map(str, candidate.parents)) or "none"
        click.echo(f"# by {candidate.operator}, parents {parents}")
        for path, text in candidate.files.items():
            print_text(f"# -- {path}\n{text}", nl=not text.endswith("\n"))
