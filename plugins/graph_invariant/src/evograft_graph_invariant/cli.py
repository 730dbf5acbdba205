"""`evo graph`: experiments by phase, benchmarks, and their reports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evograft_graph_invariant.conjectures.command import conjecture

if TYPE_CHECKING:
    from evograft_graph_invariant.experiments.experiment import Experiment
    from evograft_graph_invariant.experiments.pipeline import Phase

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
resume_option = click.option(
    "--resume",
    "checkpoint",
    type=FILE,
    metavar="CHECKPOINT",
    help="Go on from checkpoints/<experiment_id>/gen_<N>.json.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")


def config_option(*ready: str) -> Callable[[Decorated], Decorated]:
    """Return the option that names an experiment.

    Args:
        ready: experiments that come with the plugin, for this command.
    """
    named = f"The experiment, a JSON or YAML file, or a ready one: {', '.join(ready)}."
    return click.option("--config", "file", required=True, type=FILE, metavar="FILE|NAME", help=named)


@click.group()
def graph() -> None:
    """Discover formulas for graph invariants: experiments, benchmarks, reports."""


@graph.command()
@config_option("bounds", "map_elites", "ood", "phase1")
@resume_option
@as_json
def phase1(file: Path, checkpoint: Path | None, *, as_json: bool) -> int:
    """Search for a formula of the average shortest path length, or of another target, as the file says."""
    return _run_phase(file, 1, checkpoint, as_json=as_json)


@graph.command()
@config_option("phase2")
@resume_option
@click.option("--force", is_flag=True, help="Go on although phase 1 did not succeed.")
@as_json
def phase2(file: Path, checkpoint: Path | None, *, force: bool, as_json: bool) -> int:
    """Search for a formula of the algebraic connectivity, on graphs of up to 1,000 nodes."""
    return _run_phase(file, 2, checkpoint, force=force, as_json=as_json)


@graph.command()
@config_option("ablation")
@as_json
def benchmark(file: Path, *, as_json: bool) -> int:
    """Run phase 1 with several seeds, as it is and with settings changed, beside all methods for comparison.

    The same command again goes on with what is not complete.
    """
    from evograft_batch.api import start_or_resume
    from evograft_graph_invariant.experiments.benchmark import BATCH, build_batch, get_benchmark_folder
    from evograft_graph_invariant.experiments.experiment import Benchmark, read_experiment

    config = read_experiment(file, Benchmark)
    folder, data = get_benchmark_folder(config), build_batch(config, source=str(file))
    code = start_or_resume(data, folder / BATCH, source=str(file))
    _report_benchmark(folder, config.experiment_id or "benchmark", as_json=as_json)
    return code


@graph.command()
@click.argument("run_or_artifacts", metavar="RUN_OR_ARTIFACTS")
@as_json
def ood(run_or_artifacts: str, *, as_json: bool) -> None:
    """Show how the best formula does on graphs that are unlike those it was found on.

    Of an experiment by its artifacts folder, or of any run by its name, id or path: it is judged then.
    """
    from evograft_graph_invariant.experiments.best_formula import find_best_formula
    from evograft_graph_invariant.experiments.tables import format_ood

    found = find_best_formula(run_or_artifacts)
    if as_json:
        click.echo(found.model_dump_json(exclude={"graphs"}))
        return
    for line in format_ood(found):
        click.echo(line)


@graph.command()
@click.option("--artifacts", required=True, type=FILE, help="The folder with the records of an experiment.")
@click.option(
    "--language", type=click.Choice(["en", "ja"]), help="The report's language; that of your locale otherwise."
)
def report(artifacts: Path, language: str | None) -> None:
    """Write a report as Markdown and as one HTML page that needs no network, into the folder of the records."""
    from evograft.text.i18n import usual_language
    from evograft_graph_invariant.reporting import write_report

    for path in write_report(artifacts, language=language or usual_language()):
        click.echo(f"report = {path}")


graph.add_command(conjecture)


def _run_phase(
    file: Path,
    phase: Phase,
    checkpoint: Path | None,
    *,
    as_json: bool,
    force: bool = False,
) -> int:
    from evograft_graph_invariant.experiments.experiment import Experiment, read_experiment
    from evograft_graph_invariant.experiments.start import require_phase_one

    config = read_experiment(file, Experiment)
    if phase == 2:  # noqa: PLR2004 - a phase's name
        _note(require_phase_one(config, file, force=force))
    if checkpoint is not None:
        return _resume_experiment(config, phase, checkpoint, source=str(file), as_json=as_json)
    return _start_experiment(config, phase, source=str(file), as_json=as_json)


def _start_experiment(config: Experiment, phase: Phase, *, source: str, as_json: bool) -> int:
    from evograft.api import start
    from evograft_graph_invariant.experiments.default_model import find_default_models
    from evograft_graph_invariant.experiments.start import prepare_start

    llm, note = find_default_models(config)
    folder, pipeline = prepare_start(config, phase, llm=llm, source=source)
    _note(note)
    code = start(pipeline, folder.run, as_json=as_json).exit_code
    return _report_records(folder.artifacts, phase, code, as_json=as_json)


def _resume_experiment(config: Experiment, phase: Phase, checkpoint: Path, *, source: str, as_json: bool) -> int:
    from evograft.api import resume
    from evograft_graph_invariant.experiments.start import prepare_resume

    found = prepare_resume(config, phase, checkpoint, source=source)
    for note in found.notes:
        _note(note)
    code = resume(found.run.path, found.overrides, as_json=as_json).exit_code
    return _report_records(found.run.path.parent, phase, code, as_json=as_json)


def _report_records(artifacts: Path, phase: Phase, code: int, *, as_json: bool) -> int:
    """Print where the records are, and return the exit code.

    Raises:
        ServiceError: the experiment has ended and its summary could not be written.
    """
    from evograft.api import ServiceError
    from evograft_graph_invariant.records.recorder import get_summary_name

    click.echo(f"artifacts = {artifacts}", err=as_json)
    summary = artifacts / get_summary_name(phase)
    if not code and not summary.is_file():
        raise ServiceError(f"{summary} could not be written: free some space, then go on with --resume CHECKPOINT")
    return code


def _report_benchmark(folder: Path, name: str, *, as_json: bool) -> None:
    from evograft.api import write_atomically
    from evograft_graph_invariant.experiments.benchmark import BATCH
    from evograft_graph_invariant.experiments.results import read_results
    from evograft_graph_invariant.experiments.tables import format_benchmark

    found = read_results(folder / BATCH, experiment_id=name)
    data, text = found.model_dump_json(indent=1), "\n".join(format_benchmark(found))
    write_atomically(folder / "benchmark.json", f"{data}\n".encode())
    write_atomically(folder / "benchmark.md", f"{text}\n".encode())
    click.echo(data if as_json else text)
    click.echo(f"table = {folder / 'benchmark.md'}", err=as_json)


def _note(text: str) -> None:
    if text:
        click.echo(text, err=True)


if __name__ == "__main__":
    import runpy

    sys.argv[1:1] = ["graph"]
    runpy.run_module("evograft", run_name="__main__")
