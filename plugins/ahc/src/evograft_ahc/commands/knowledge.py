"""`evo ahc knowledge`."""

from __future__ import annotations

import json
import textwrap

import click

SHOWN = 12
"""Lines of a text; --json has all."""
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def knowledge() -> None:
    """What earlier sessions have shown, of all workspaces."""


@knowledge.command()
@click.argument("words", nargs=-1)
@click.option("--contest", default="", help="Of one contest only.")
@click.option("--kind", type=click.Choice(["result", "fragment", "prompt"]), help="Of one kind only.")
@click.option("--most", type=click.IntRange(min=1), default=20, show_default=True, help="So many at most.")
@AS_JSON
def search(words: tuple[str, ...], *, contest: str, kind: str | None, most: int, as_json: bool) -> None:
    """List what holds all WORDS: results, code that made a program better, prompts that worked."""
    from evograft.pages.clip import clip, short
    from evograft_ahc.knowledge.store import knowledge_base

    # What a terminal hands over need not be text.
    wanted = " ".join(words).encode("utf-8", "replace").decode()
    with knowledge_base() as base:
        found = base.search(wanted, contest_id=contest, kind=kind, most=most)  # type: ignore[arg-type] # one of the choices
    if as_json:
        click.echo(json.dumps([lesson.model_dump() for lesson in found], ensure_ascii=False))
        return
    for lesson in found:
        gain = f"  {lesson.gain:+.2%}" if lesson.gain else ""
        click.echo(f"{lesson.contest_id}/{lesson.session}  {lesson.kind}: {short(lesson.title)}{gain}")
        click.echo(textwrap.indent(clip(lesson.text, lines=SHOWN).text, "    "))


@knowledge.command()
@AS_JSON
def models(*, as_json: bool) -> None:
    """List what was asked of each model, what it cost, and how often it helped."""
    from evograft_ahc.knowledge.store import knowledge_base

    with knowledge_base() as base:
        found = base.models()
    if as_json:
        click.echo(json.dumps([use.model_dump() for use in found]))
        return
    for use in found:
        cost = "unknown cost" if use.dollars is None else f"{use.dollars:.4f} USD"
        tokens = use.prompt_tokens + use.completion_tokens
        click.echo(f"{use.model:32} {use.calls:6} calls  {tokens:9} tokens  {cost}  {use.improved} times the best")
