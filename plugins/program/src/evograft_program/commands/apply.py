"""`evo apply`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.cli_kit.printing import print_json, print_text
from evograft.cli_kit.whole_number import WholeNumber

if TYPE_CHECKING:
    from evograft_program.changes.best import ChosenTrial
    from evograft_program.changes.change import FileChange


@dataclass(frozen=True)
class ApplyOptions:
    """What `evo apply` was given."""

    run: str
    trial: int | None
    to: Path | None
    branch: str | None
    patch: bool
    yes: bool
    force: bool
    as_json: bool


@click.command()
@click.argument("run", default="latest")
@click.option("--trial", type=WholeNumber(least=0), help="This trial's program, in place of the best one.")
@click.option("--to", type=click.Path(path_type=Path), help="Write to this file, not to the start program.")
@click.option("--patch", is_flag=True, help="Print the difference to the start program as a patch, and write nothing.")
@click.option("--branch", metavar="NAME", help="Make a git branch with a commit; the files themselves stay.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--force", is_flag=True, help="Write although the files were changed since, or are not committed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --yes or --branch it is also done.")
def apply(**options: Any) -> None:
    """Put the best program of RUN into your files, after showing the difference.

    Without RUN it is that of the newest run in ./runs.
    """
    from evograft.api import UserError, find_run, load_settings, open_run
    from evograft_program.changes.best import choose_trial
    from evograft_program.changes.change import find_changes
    from evograft_program.requests.plan import program_options

    given = ApplyOptions(**options)
    if given.patch and given.branch:
        raise UserError("--patch and --branch do not go together: leave one of them out")
    run = open_run(find_run(given.run, runs=Path(load_settings().runs_dir), guessing=False))
    task = program_options(run.pipeline)
    chosen = choose_trial(run.path, run.pipeline, given.trial)
    changes = find_changes(task, chosen.files, to=given.to)
    if given.patch:
        patch = "".join(_lines(changes, from_start=True))
        if given.as_json:
            print_json(_summarize(chosen, changes, given, run=run.name, patch=patch))
        else:
            print_text(patch, nl=False)
        return
    start = task.task.commit
    todo = [change for change in changes if given.branch or not change.is_done]
    if not (given.force or given.to or (given.branch and start)):
        _refuse_overtaken(changes)
    if not (given.force or given.branch):
        _refuse_uncommitted(todo)
    done = _carry_out(todo, chosen, given, run=run.name, start=start) if todo else False
    if given.as_json:
        print_json(_summarize(chosen, changes, given, run=run.name, done=done))
    elif not todo:
        click.echo(_explain_nothing(chosen))


def _refuse_overtaken(changes: list[FileChange]) -> None:
    """Refuse to write over what somebody has changed since the run began."""
    from evograft.api import UserError

    overtaken = [change.path for change in changes if change.is_overtaken]
    if overtaken:
        raise UserError(
            f"{_list(overtaken)} changed since the run began: --patch prints what the run changes, --branch NAME makes "
            "a branch of it, --force writes over them"
        )


def _refuse_uncommitted(changes: list[FileChange]) -> None:
    """Refuse to write over what git could not bring back."""
    from evograft.api import UserError
    from evograft_program.changes.git import find_uncommitted

    uncommitted = find_uncommitted(change.path for change in changes)
    if uncommitted:
        raise UserError(
            f"{_list(uncommitted)} changed and not committed: commit or stash that first, or use --patch, "
            "--branch NAME or --force"
        )


def _list(paths: list[Path]) -> str:
    """Return the names of files with a verb."""
    return f"{', '.join(repr(str(path)) for path in paths)} {'was' if len(paths) == 1 else 'were'}"


def _carry_out(changes: list[FileChange], chosen: ChosenTrial, given: ApplyOptions, *, run: str, start: str) -> bool:
    """Show what changes, ask, and do it; return whether it was done."""
    from evograft_program.changes.change import write_change
    from evograft_program.changes.git import commit_to_branch

    if not given.as_json:
        print_text("".join(_lines(changes, from_start=bool(given.branch))), nl=False)
        click.echo(_headline(chosen, run))
    if given.branch:
        commit = commit_to_branch(changes, given.branch, f"{_headline(chosen, run)}\n", start=start)
        if not given.as_json:
            click.echo(f"branch {given.branch}: commit {commit[:12]}")
        return True
    if not given.yes and (given.as_json or not _ask(changes)):
        return False
    for change in changes:
        write_change(change)
        if not given.as_json:
            click.echo(f"written: {change.path}")
    return True


def _lines(changes: list[FileChange], *, from_start: bool = False) -> list[str]:
    """Return the difference to the files as they are, or as they were when the run began."""
    from evograft_program.task.git import find_repository

    lines: list[str] = []
    for change in changes:
        root = find_repository(change.path) or change.path.parent
        name = change.path.relative_to(root).as_posix()
        lines += change.diff(name, change.before if from_start else change.now)
    return lines


def _headline(chosen: ChosenTrial, run: str) -> str:
    start = "" if chosen.start_score is None else f", the start program {chosen.start_score:.6g}"
    return f"trial {chosen.trial.number} of {run}: score {chosen.trial.score:.6g}{start}"


def _ask(changes: list[FileChange]) -> bool:
    from evograft.api import UserError

    what = str(changes[0].path) if len(changes) == 1 else f"{len(changes)} files"
    try:
        return click.confirm(f"Write this to {what}?", err=True)
    except click.Abort as err:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)  # behind the question
        raise UserError("nobody is there to be asked: add --yes, or --patch to see the difference only") from err


def _explain_nothing(chosen: ChosenTrial) -> str:
    if chosen.is_start:
        return "nothing to apply: the start program is the best so far"
    return f"nothing to apply: the program of trial {chosen.trial.number} is in your files already"


def _summarize(
    chosen: ChosenTrial,
    changes: list[FileChange],
    given: ApplyOptions,
    *,
    run: str,
    done: bool = False,
    patch: str | None = None,
) -> dict[str, Any]:
    """Return the result for programs."""
    files = [
        {"path": str(each.path), **dict(zip(("added", "removed"), each.count_lines(), strict=True))} for each in changes
    ]
    return {
        "run": run,
        "trial": chosen.trial.number,
        "score": chosen.trial.score,
        "start_score": chosen.start_score,
        "files": files,
        "branch": given.branch,
        "patch": patch,
        "applied": done,
    }
