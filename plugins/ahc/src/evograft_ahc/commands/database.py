"""`evo ahc database`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evograft_ahc.commands.here import settings_here
from evograft_ahc.past_contests import Approach, Contest


def _paths(_context: click.Context, _option: click.Parameter, given: tuple[Path, ...]) -> tuple[Path, ...]:
    settings, folder = settings_here()
    return given or settings.past_contest_db.beside(folder)


DATA = click.option(
    *("--data", "paths"),
    multiple=True,
    type=click.Path(path_type=Path),
    callback=_paths,
    help="A JSON file, or a folder of them, with more, instead of those of the settings.",
)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def database() -> None:
    """What is known about past contests."""


@database.command()
@click.option("--problem", default="", help="A part of the contest's id or of a title.")
@click.option("--tag", default="", help="A tag, such as simulated_annealing.")
@click.option("--algorithm", default="", help="A part of the name of an algorithm that was used.")
@click.option("--keyword", default="", help="Words that are mentioned anywhere.")
@DATA
@AS_JSON
def search(*, paths: tuple[Path, ...], as_json: bool, **query: str) -> None:
    """List the contests for which everything given holds."""
    from evograft_ahc.contest_database import Query, open_database

    # What a terminal hands over need not be text.
    wanted = Query(**{name: part.encode("utf-8", "replace").decode() for name, part in query.items()})
    with open_database(paths) as opened:
        found = opened.search(wanted)
    if as_json:
        click.echo(json.dumps([_known(contest) for contest in found], ensure_ascii=False))
        return
    for contest in found:
        name = " / ".join(filter(None, (contest.title, contest.problem_title)))
        click.echo(f"{contest.contest_id:18} {contest.date:10}  {name}  [{', '.join(contest.tags)}]")


@database.command()
@click.argument("contest_id")
@DATA
@AS_JSON
def show(*, contest_id: str, paths: tuple[Path, ...], as_json: bool) -> None:
    """Print what is known about a contest, with its sources."""
    from evograft_ahc.contest_database import open_database

    with open_database(paths) as opened:
        contest = opened.get(contest_id)
    if as_json:
        click.echo(json.dumps(_known(contest), ensure_ascii=False))
        return
    for field, value in _known(contest).items():
        if field not in ("solution_approaches", "sources"):
            click.echo(f"{field:22} {_in_words(value)}")
    for approach in contest.solution_approaches:
        click.echo(_approach_text(approach))
    for about, source in contest.sources.items():
        click.echo(f"source of {about}: {source}")


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _approach_text(approach: Approach) -> str:
    head = " ".join(filter(None, ("approach", approach.rank_range)))
    lines = [f"{head}: {', '.join(approach.algorithms_used) or '(algorithms not named)'}"]
    lines += [f"  - {idea}" for idea in approach.key_ideas]
    lines += [f"  {url}" for url in approach.reference_urls]
    return "\n".join(lines)


def _known(contest: Contest) -> dict[str, object]:
    return contest.model_dump(mode="json", exclude_defaults=True)
