"""`evo answer`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft.cli_kit.printing import print_json, print_text
from evograft.errors import UserError

if TYPE_CHECKING:
    from evograft.drivers.llm.prompt_files import PromptFile
    from evograft.runs.mailbox import InFlightTrial


@click.command()
@click.argument("run", required=False)
@click.argument("name", required=False)
@click.option("--file", type=click.Path(path_type=Path), help="Answer with the text of this file.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Answer with what comes on standard input.")
@click.option("--show", metavar="NAME", help="Print a whole prompt, as it can be pasted into a chat.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def answer(
    run: str | None, name: str | None, file: Path | None, show: str | None, *, from_stdin: bool, as_json: bool
) -> None:
    """List the prompts of RUN that wait for an answer, or answer the prompt NAME.

    Prompts wait where the pipeline's llm driver is `manual`. Without RUN those of the latest run are listed, and those
    of conversations that are going on, such as evo explain's.
    """
    from evograft.config.user_settings import load_settings
    from evograft.drivers.llm.prompt_files import find_misnamed, find_prompt, find_waiting, write_answer
    from evograft.runs.index import find_run, reference

    runs = Path(load_settings().runs_dir)
    if run is None:
        folders = _waiting_folders(runs)
        if show is None and file is None and not from_stdin and len(folders) > 1:
            _list_all(folders, runs, as_json=as_json)
            return
        folder = folders[0] if folders else find_run("latest", runs=runs, guessing=False, live_first=True)
    else:
        folder = find_run(run, runs=runs, guessing=False, live_first=True)
    run = reference(folder, runs=runs)
    if show is not None:
        print_text(find_prompt(folder, show).text, nl=False)
        return
    if name is None:
        if file is not None or from_stdin:
            raise UserError(f"which prompt is answered? Name one of those that this lists: evo answer {run}")
        _list(find_waiting(folder), folder, run, as_json=as_json)
        for wrong, right in find_misnamed(folder).items():
            click.echo(f"{wrong!r} answers no prompt; did you mean {right!r}?", err=True)
        return
    path = write_answer(folder, name, _given(file, run, name, from_stdin=from_stdin))
    click.echo(f"answered in {path}")


def _waiting_folders(runs: Path) -> list[Path]:
    """Return where prompts wait: in the latest run, and in conversations that are not over."""
    from evograft.drivers.llm.prompt_files import find_waiting
    from evograft.runs.index import find_run
    from evograft.session.live_folders import find_live_folders

    try:
        latest = [find_run("latest", runs=runs, guessing=False, live_first=True)]
    except UserError:
        latest = []
    return [folder for folder in (*latest, *find_live_folders()) if find_waiting(folder)]


def _list_all(folders: list[Path], runs: Path, *, as_json: bool) -> None:
    """Describe what waits in several places, each with how it is answered."""
    from evograft.drivers.llm.prompt_files import find_waiting
    from evograft.runs.index import reference

    if as_json:
        print_json([_as_data(prompt, None) for folder in folders for prompt in find_waiting(folder)])
        return
    for folder in folders:
        _list(find_waiting(folder), folder, reference(folder, runs=runs), as_json=False)


def _given(file: Path | None, run: str, name: str, *, from_stdin: bool) -> str:
    if (file is None) != from_stdin:
        raise UserError(
            f"answer with one of --file FILE and --stdin; the prompt is printed by: evo answer {run} --show {name}"
        )
    try:
        content = sys.stdin.buffer.read() if file is None else file.read_bytes()
        return content.decode("utf-8-sig")
    except OSError as err:
        raise UserError(f"cannot read {str(file)!r}: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise UserError("the answer is not UTF-8 text") from err


def _list(prompts: tuple[PromptFile, ...], folder: Path, run: str, *, as_json: bool) -> None:
    from evograft.runs.mailbox import snapshot_of

    in_flight: dict[int | None, InFlightTrial] = {each.trial: each for each in snapshot_of(folder).in_flight}
    if as_json:
        print_json([_as_data(prompt, in_flight.get(prompt.trial)) for prompt in prompts])
        return
    for prompt in prompts:
        click.echo(f"{prompt.name}  {prompt.path}  {_about(prompt, in_flight.get(prompt.trial))}")
    if prompts:
        click.echo(f"answer with: evo answer {run} NAME --file FILE", err=True)
    else:
        click.echo("no prompt waits for an answer", err=True)


def _about(prompt: PromptFile, running: InFlightTrial | None) -> str:
    """Return whose prompt it is and how old, as far as the run that works on it has noted it; else how it begins."""
    from evograft.cli.amounts import age
    from evograft.text.escapes import sanitize

    if running is None:
        return f"{sanitize(prompt.first_line, 60)} ({age(prompt.written_at)})"
    score = "" if running.parent_score is None else f" (score {running.parent_score:.6g})"
    parent = "" if running.parent is None else f", parent {running.parent}{score}"
    return f"{running.operator}{parent}, {age(prompt.written_at)}"


def _as_data(prompt: PromptFile, running: InFlightTrial | None) -> dict[str, Any]:
    return {
        "name": prompt.name,
        "path": str(prompt.path),
        "answer_path": str(prompt.answer_path),
        "first_line": prompt.first_line,
        "text": prompt.text,
        "operator": running.operator if running else None,
        "parent": running.parent if running else None,
        "parent_score": running.parent_score if running else None,
        "written_at": prompt.written_at,
    }
