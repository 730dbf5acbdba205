"""`evo evolve`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evograft.cli_kit.whole_number import WholeNumber
from evograft_program.commands.parameters import Duration, Objectives, ScoreBounds

if TYPE_CHECKING:
    from evograft.api import StartedRun
    from evograft_program.requests.plan import EvolutionPlan
    from evograft_program.requests.request import EvolveRequest

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
EXAMPLES = ("cache",)
"""The folders of the package's `examples`."""
STYLES = ("openevolve", "shinka", "gepa", "container", "function", "command")

TASK = (
    click.argument("files", nargs=-1, metavar="[PROGRAM] EVALUATOR"),
    click.option("--example", type=click.Choice(EXAMPLES), help="Try one of ours: its files are put into ./NAME."),
    click.option("--task-dir", type=FILE, help="A folder with both: evaluate.py and initial.EXT, say."),
    click.option("--statement", type=FILE, help="A file with the task in words, for models."),
    click.option("--change", multiple=True, metavar="GLOB", help="What may change in PROGRAM, a folder; repeatable."),
    click.option("--suffix", metavar=".EXT", help="Without a start program: how a candidate's file name ends."),
    click.option("--name", help="The first part of the run's name; else that of the evaluator's folder."),
)
MODELS = (
    click.option(
        "--llm",
        metavar="DRIVER:MODEL",
        help="The model, or several with commas, or cheap=…,strong=…; without: numbers are tuned.",
    ),
    click.option("--api-base", metavar="URL", help="The address of the model's server."),
    click.option("--primary-model", metavar="MODEL", help="A model, as the server calls it."),
    click.option("--secondary-model", metavar="MODEL", help="A second one."),
)
BUDGET = (
    click.option(
        *("-n", "--trials"),
        type=WholeNumber(least=1),
        help="Stop after this many trials; 200 where no time is given.",
    ),
    click.option("-i", "--iterations", type=WholeNumber(least=0), help="Trials after the start program."),
    click.option("--seconds", "--deadline", type=Duration(), help="Stop after this time: 600, 30m, 2h."),
    click.option("--dollars", type=click.FloatRange(min=0, min_open=True), help="Stop before models cost more."),
    click.option("-t", "--target-score", type=float, help="Stop at this score."),
    click.option("-j", "--jobs", type=WholeNumber(least=1), help="Evaluations at a time; the number of cores."),
)
EVALUATION = (
    click.option("--style", type=click.Choice(STYLES), help="What EVALUATOR takes, where it is not recognised."),
    click.option("--function", metavar="NAME", help="The function that is called."),
    click.option("--examples", type=FILE, help="Examples for an evaluator that takes one: JSON or JSON Lines."),
    click.option("--python", metavar="PATH", help="The Python that evaluates."),
    click.option("--read", multiple=True, type=FILE, help="What evaluations may read where it is; repeatable."),
    click.option("--env", multiple=True, metavar="NAME", help="An environment variable that they get; repeatable."),
    click.option("--network", is_flag=True, default=None, help="Let them use the network."),
    click.option("--memory-mb", type=WholeNumber(least=1), help="Memory of an evaluation; 4096."),
    click.option("--timeout", type=Duration(), help="Time of an evaluation, or of each of its stages; 300."),
)
SCORES = (
    click.option("--metric", metavar="NAME", help="The metric that is the score."),
    click.option(
        "--objective",
        "objectives",
        type=Objectives(),
        metavar="A,-B",
        help="Search for a front of several metrics; a minus: less is better. The first one is the score.",
    ),
    click.option("--score", metavar="REGEX", help="What EVALUATOR prints; the first group is the score."),
    click.option(
        "--minimise", "--minimize", is_flag=True, default=None, help="Less is better; objectives have a minus."
    ),
    click.option("--bounds", type=ScoreBounds(), metavar="LOW,HIGH", help="Scores outside are rejected as impossible."),
    click.option("--repeat", type=WholeNumber(least=1), help="Evaluations of each candidate; their mean counts."),
    click.option("--confirm", type=WholeNumber(least=0), help="Further evaluations before a new best one counts."),
    click.option("--final", type=FILE, help="An evaluator for the end, with data that no choice depends on."),
)
RUN = (
    click.option("-c", "--config", type=FILE, help="A configuration of OpenEvolve, SkyDiscover or ShinkaEvolve."),
    click.option("--plugin", "plugins", multiple=True, metavar="NAME", help="A further plugin; repeatable."),
    click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable."),
    click.option("--seed", type=WholeNumber(least=0), help="The run's seed."),
    click.option("-o", "--output", "--run-dir", type=FILE, help="Make the run in this folder, not in ./runs/NAME-N."),
    click.option("--checkpoint", metavar="RUN", help="Resume RUN, as evo resume does; with -n, -i and -t."),
    click.option("--background", is_flag=True, help="Run it in the background; see evo status and evo stop."),
    click.option("--check", is_flag=True, help="Start no run: say what EVALUATOR is worth, and what N trials take."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object."),
)


def _with(*groups: tuple[Callable[[Command], Command], ...]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command all these options, in their order."""

    def decorate(command: Command) -> Command:
        for option in reversed([option for group in groups for option in group]):
            command = option(command)
        return command

    return decorate


@click.command()
@_with(TASK, MODELS, BUDGET, EVALUATION, SCORES, RUN)
def evolve(
    files: tuple[str, ...],
    example: str | None,
    task_dir: Path | None,
    output: Path | None,
    checkpoint: str | None,
    *,
    background: bool,
    check: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Improve PROGRAM, which EVALUATOR gives scores; without --llm its numbers are tuned.

    EVALUATOR is a Python file with evaluate(), a script, a folder with a Dockerfile and evaluate.sh, or a shell line.
    """
    from evograft.api import start_with_files
    from evograft_program.commands.reporting import report_plan
    from evograft_program.requests.variation import attach_plan

    if checkpoint is not None:
        return _resume(checkpoint, given, background=background, as_json=as_json)
    if example is not None:
        task_dir = _write_example(example, files, task_dir)
    plan = _plan(files, task_dir, given)
    report_plan(plan)
    if check:
        return _check(plan, as_json=as_json)
    unattached = plan.compose(Path("task"))
    started = start_with_files(unattached, partial(attach_plan, plan), output, background=background, as_json=as_json)
    return _report(started, as_json=as_json)


def _plan(files: tuple[str, ...], task_dir: Path | None, given: dict[str, Any]) -> EvolutionPlan:
    from evograft_program.requests.plan import plan_evolution

    return plan_evolution(_read_request(files, task_dir, given))


def _write_example(name: str, files: tuple[str, ...], task_dir: Path | None) -> Path:
    from evograft.api import UserError
    from evograft_program.requests.examples import write_example

    if files or task_dir:
        raise UserError(f"--example {name} brings its own program and evaluator: leave out yours")
    folder = write_example(name, Path.cwd())
    click.echo(f"example: a program and its evaluator in {folder.name}/, for you to look at and to change", err=True)
    return folder


def _check(plan: EvolutionPlan, *, as_json: bool) -> int:
    from evograft_program.commands.check import check_plan

    return check_plan(plan, as_json=as_json)


def _read_request(files: tuple[str, ...], task_dir: Path | None, given: dict[str, Any]) -> EvolveRequest:
    """Return what was asked for; what was not given is left to other sources."""
    from evograft_program.foreign.openevolve_arguments import OpenEvolveArguments
    from evograft_program.options import EvaluatorStyle
    from evograft_program.requests.request import PLACES, EvolveRequest

    program, evaluator = _read_files(files, task_dir)
    return EvolveRequest(
        program=program,
        evaluator=evaluator,
        change=given["change"],
        statement=_read_statement(given["statement"]),
        final=given["final"],
        examples=given["examples"],
        read=given["read"],
        style=EvaluatorStyle(given["style"]) if given["style"] else None,
        config=given["config"],
        arguments=OpenEvolveArguments(
            given["iterations"], given["api_base"], given["primary_model"], given["secondary_model"]
        ),
        llm=given["llm"] or "",
        plugins=given["plugins"],
        settings={name: given[name] for name in PLACES if given[name] not in (None, ())},
        overrides=given["overrides"],
    )


def _read_files(files: tuple[str, ...], task_dir: Path | None) -> tuple[Path | None, str]:
    """Return the start program, if there is one, and the evaluator."""
    from evograft.api import UserError
    from evograft_program.requests.location import read_task_folder

    if task_dir is not None:
        if files:
            raise UserError("--task-dir names the folder of both files: leave out PROGRAM and EVALUATOR")
        return read_task_folder(task_dir)
    match files:
        case []:
            return None, ""
        case [evaluator]:
            return None, evaluator
        case [program, evaluator]:
            return Path(program), evaluator
    raise UserError(f"{len(files)} files: give PROGRAM and EVALUATOR; see evo evolve --help")


def _read_statement(path: Path | None) -> str:
    from evograft_program.task.candidates import read_text

    return "" if path is None else read_text(path)


def _resume(run: str, given: dict[str, Any], *, background: bool, as_json: bool) -> int:
    """Resume a run, with a new limit if there is one."""
    from evograft.api import find_run, load_settings, resume

    folder = find_run(run, runs=Path(load_settings().runs_dir), guessing=False)
    iterations = given["iterations"]
    trials = given["trials"] or (iterations and iterations + 1)
    limits = {"budget.trials": trials, "budget.target_score": given["target_score"]}
    overrides = [*(f"{key}={value}" for key, value in limits.items() if value is not None), *given["overrides"]]
    return _report(resume(folder, overrides, background=background, as_json=as_json), as_json=as_json)


def _report(started: StartedRun, *, as_json: bool) -> int:
    """Print where a run in the background works; return the exit code."""
    from evograft.api import print_started

    if started.process is not None:
        print_started(started, as_json=as_json)
    return started.exit_code
