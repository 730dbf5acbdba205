"""`evo ahc knowledge`."""

from __future__ import annotations

import json
import textwrap

import click

from evograft_ahc.commands.bilingual import AS_JSON, group, option

SHOWN = 12
"""Lines of a text; --json has all."""
KINDS_JA = {"result": "結果", "fragment": "コード", "prompt": "プロンプト"}


@group(ja="すべての作業フォルダーの、これまでのセッションで分かったこと。")
def knowledge() -> None:
    """Show what earlier sessions of all workspaces have shown."""


@knowledge.command(
    ja="WORDS をすべて含むもの (結果、プログラムを良くしたコード、効果のあったプロンプト) を一覧します。"
)
@click.argument("words", nargs=-1)
@option("--contest", default="", en="Of one contest only.", ja="このコンテストのものだけ。")
@option(
    "--kind", type=click.Choice(["result", "fragment", "prompt"]), en="Of one kind only.", ja="この種類のものだけ。"
)
@option(
    "--most", type=click.IntRange(min=1), default=20, show_default=True, en="So many at most.", ja="表示する最大の数。"
)
@AS_JSON
def search(words: tuple[str, ...], *, contest: str, kind: str | None, most: int, as_json: bool) -> None:
    """List what holds all WORDS: results, code that made a program better, prompts that worked."""
    from evograft.text.escapes import truncate
    from evograft.text.excerpts import clip
    from evograft_ahc.commands.language import find_language, make_printer
    from evograft_ahc.knowledge.store import open_knowledge_base

    # What a terminal hands over need not be text.
    wanted = " ".join(words).encode("utf-8", "replace").decode()
    with open_knowledge_base() as base:
        # The kind is one of the choices.
        found = base.search(wanted, contest_id=contest, kind=kind, most=most)  # type: ignore[arg-type]
    if as_json:
        click.echo(json.dumps([lesson.model_dump() for lesson in found], ensure_ascii=False))
        return
    tell = make_printer(find_language())
    if not found:
        tell(
            "no earlier session has shown anything like that; without words all is listed: evo ahc knowledge search",
            ja="これまでのセッションに当てはまるものはありません。語を省くとすべて表示します: evo ahc knowledge search",
        )
    for lesson in found:
        gain = f"  {lesson.gain:+.2%}" if lesson.gain else ""
        kind = KINDS_JA[lesson.kind]
        head, tail = f"{lesson.contest_id}/{lesson.session}", f"{truncate(lesson.title)}{gain}"
        tell(f"{head}  {lesson.kind}: {tail}", ja=f"{head}  {kind}: {tail}")
        click.echo(textwrap.indent(clip(lesson.text, lines=SHOWN).text, "    "))


@knowledge.command(ja="各モデルへの質問の数、費用、役に立った回数を一覧します。")
@AS_JSON
def models(*, as_json: bool) -> None:
    """List what was asked of each model, what it cost, and how often it helped."""
    from evograft_ahc.commands.language import find_language, make_printer
    from evograft_ahc.knowledge.store import open_knowledge_base

    with open_knowledge_base() as base:
        found = base.models()
    if as_json:
        click.echo(json.dumps([use.model_dump() for use in found]))
        return
    tell = make_printer(find_language())
    for use in found:
        cost = None if use.dollars is None else f"{use.dollars:.4f} USD"
        tokens = use.prompt_tokens + use.completion_tokens
        tell(
            f"{use.model:32} {use.calls:6} calls  {tokens:9} tokens  {cost or 'unknown cost'}  {use.improved} times "
            "the best",
            ja=f"{use.model:32} {use.calls:6} 回  {tokens:9} トークン  {cost or '費用不明'}  最良を {use.improved} "
            "回更新",
        )
