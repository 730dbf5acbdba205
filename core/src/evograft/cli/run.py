"""`evo run` and `evo resume`: their options. The rest is imported when they are called, so that help is quick."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.cli_kit.whole_number import WholeNumber
from evograft.errors import UserError

if TYPE_CHECKING:
    from evograft.cli.start import StartedRun

as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
overrides = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable."
)
background = click.option("--background", is_flag=True, help="Run it in the background; see evo status and evo stop.")
interactive = click.option(
    "--interactive", is_flag=True, help="Confirm the first steps, then ask and instruct at a prompt while it works."
)


@dataclass(frozen=True)
class RunOptions:
    """What `evo run` was given."""

    pipeline: Path | None
    plugin: str | None
    overrides: tuple[str, ...]
    seed: int | None
    trials: int | None
    llm: str | None
    run_dir: Path | None
    background: bool
    interactive: bool
    as_json: bool

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the overridden settings, those with an option of their own last."""
        seed = () if self.seed is None else (f"seed={self.seed}",)
        trials = () if self.trials is None else (f"budget.trials={self.trials}",)
        return (*self.overrides, *seed, *trials)


@click.command()
@click.argument("pipeline", required=False, type=click.Path(path_type=Path))
@click.option("--plugin", help="Run the pipeline that this plugin ships.")
@overrides
@click.option("--seed", type=WholeNumber(least=0), help="The run's seed; short for --set seed=N.")
@click.option(
    "--trials", type=WholeNumber(least=1), help="Stop after this many trials; short for --set budget.trials=N."
)
@click.option(
    "--llm",
    metavar="DRIVER[:MODEL]",
    help="The llm driver and model; cheap=DRIVER:MODEL,strong=MODEL for two; replay:RUN takes a run's log as model.",
)
@click.option(
    "--run-dir", type=click.Path(path_type=Path), help="Make the run in this folder instead of ./runs/NAME-N."
)
@background
@interactive
@as_json
def run(**options: Any) -> int:
    """Start a run of the PIPELINE file, or of the pipeline that a plugin ships (--plugin).

    With --llm replay:RUN alone, repeat RUN, its log serving as the model.
    """
    given = RunOptions(**options)
    _require_company(background=given.background, interactive=given.interactive, as_json=given.as_json)
    from evograft.cli.start import carry_out, start
    from evograft.config.user_settings import load_settings
    from evograft.runs.index import find_run, open_run
    from evograft.session.compose import compose_pipeline, split_llm_option
    from evograft.session.start import create_repetition

    runs = Path(load_settings().runs_dir)
    how = {"background": given.background, "interactive": given.interactive, "as_json": given.as_json}
    driver, model = split_llm_option(given.llm)
    if driver == "replay" and given.pipeline is None and given.plugin is None:
        if given.settings:
            raise UserError("--llm replay:RUN repeats RUN as it was: leave out --set, --seed and --trials")
        repeated = create_repetition(open_run(find_run(model, runs=runs)), runs=runs, folder=given.run_dir)
        return _report(carry_out(repeated, **how), as_json=given.as_json)
    resolved = compose_pipeline(given.pipeline, given.plugin, given.settings, llm=given.llm, runs=runs)
    return _report(start(resolved, given.run_dir, **how), as_json=given.as_json)


@click.command()
@click.argument("run", default="latest")
@overrides
@click.option("--accept-loss", is_flag=True, help="Resume although the log's last rows are known to be lost.")
@click.option("--new", "is_new", is_flag=True, hidden=True, help="It was made a moment ago, for the background.")
@background
@interactive
@as_json
def resume(
    run: str,
    overrides: tuple[str, ...],
    *,
    accept_loss: bool,
    is_new: bool,
    background: bool,
    interactive: bool,
    as_json: bool,
) -> int:
    """Resume RUN (a name, id, path, or `latest`) from where its log ends."""
    _require_company(background=background, interactive=interactive, as_json=as_json)
    from evograft.cli.start import resume as resume_run
    from evograft.config.user_settings import load_settings
    from evograft.runs.index import find_run

    folder = find_run(run, runs=Path(load_settings().runs_dir), guessing=False)
    resumed = resume_run(
        folder,
        overrides,
        accept_loss=accept_loss,
        background=background,
        interactive=interactive,
        as_json=as_json,
        is_new=is_new,
    )
    return _report(resumed, as_json=as_json)


def _report(started: StartedRun, *, as_json: bool) -> int:
    """Print where a run in the background works; return the exit code."""
    from evograft.cli.start import print_started

    if started.process is not None:
        print_started(started, as_json=as_json)
    return started.exit_code


def _require_company(*, background: bool, interactive: bool, as_json: bool) -> None:
    if background and interactive:
        raise UserError("--background and --interactive: a run in the background has nobody to talk to; choose one")
    if interactive and as_json:
        raise UserError(
            "--interactive and --json: a conversation is no JSON; choose one, and ask later with evo status --json"
        )
