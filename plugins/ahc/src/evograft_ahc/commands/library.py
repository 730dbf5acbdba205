"""`evo ahc library`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from evograft_ahc.commands.bilingual import AS_JSON, group, option
from evograft_ahc.commands.language import make_printer
from evograft_ahc.commands.location import load_current_settings
from evograft_ahc.library.blocks import LibraryBlock, get_block, load_library, search_blocks
from evograft_ahc.text.messages import Language

Command = Callable[..., None]


def _folders(_context: click.Context, _option: click.Parameter, given: tuple[Path, ...]) -> tuple[Path, ...]:
    settings, folder = load_current_settings()
    return given or settings.algorithm_library.beside(folder)


def _language(_context: click.Context, _option: click.Parameter, given: Language | None) -> Language:
    return given or load_current_settings()[0].language


def _options(command: Command) -> Command:
    folders = option(
        *("--folder", "folders"),
        multiple=True,
        type=click.Path(path_type=Path),
        callback=_folders,
        en="A folder with more blocks, instead of that of the settings.",
        ja="ブロックを追加するフォルダー。設定のものの代わりに使います。",
    )
    language = option(
        "--language",
        type=click.Choice(["en", "ja"]),
        callback=_language,
        en="Of descriptions (en, unless settings say).",
        ja="説明の言語 (設定がなければ en)。",
    )
    return folders(language(AS_JSON(command)))


@group(ja="アルゴリズム集: 解に貼り付けて使う C++ のブロック。")
def library() -> None:
    """Show the algorithm library: C++ blocks to paste into a solution."""


@library.command("list", ja="ブロックを一覧します。")
@_options
def list_blocks(*, folders: tuple[Path, ...], language: Language, as_json: bool) -> None:
    """List the blocks."""
    _print_list(load_library(folders).values(), language, as_json=as_json)


@library.command(ja="KEYWORD のすべての語を含むブロックを一覧します。")
@click.argument("keyword")
@_options
def search(*, keyword: str, folders: tuple[Path, ...], language: Language, as_json: bool) -> None:
    """List the blocks that mention every word of KEYWORD."""
    found = search_blocks(load_library(folders), keyword)
    _print_list(found, language, as_json=as_json)
    if not found and not as_json:
        make_printer(language)(
            f"no block mentions all of {keyword!r}; all of them: evo ahc library list",
            ja=f"{keyword!r} をすべて含むブロックはありません。一覧: evo ahc library list",
        )


@library.command(ja="ブロック NAME の説明、計算量、使い方、コードを表示します。")
@click.argument("name")
@_options
def show(*, name: str, folders: tuple[Path, ...], language: Language, as_json: bool) -> None:
    """Print the block NAME: description, complexity, how to use it, code."""
    block = get_block(load_library(folders), name)
    if as_json:
        click.echo(json.dumps({**_row(block), "code": block.code}, ensure_ascii=False))
        return
    meta, tell = block.meta, make_printer(language)
    click.echo(f"{meta.name} ({block.stem})\n{block.described(language)}")
    time, space, tags = meta.time_complexity, meta.space_complexity, ", ".join(meta.tags)
    tell(
        f"\ntime   {time}\nspace  {space}\ntags   {tags}",
        ja=f"\n時間計算量  {time}\n空間計算量  {space}\nタグ        {tags}",
    )
    for en, ja, lines in (
        ("functions", "関数", meta.function_signatures),
        ("template parameters", "テンプレート引数", meta.template_parameters),
    ):
        if lines:
            listed = "\n".join(f"  {line}" for line in lines)
            tell(f"\n{en}:\n{listed}", ja=f"\n{ja}:\n{listed}")
    if meta.notes:
        tell(f"\nnotes: {meta.notes}", ja=f"\n備考: {meta.notes}")
    tell(f"\nhow to use it:\n{meta.usage_example}\n", ja=f"\n使い方:\n{meta.usage_example}\n")
    click.echo(block.code, nl=False)


def _print_list(blocks: Iterable[LibraryBlock], language: Language, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_row(block) for block in blocks], ensure_ascii=False))
        return
    for block in blocks:
        click.echo(f"{block.stem:24} {block.described(language)}")


def _row(block: LibraryBlock) -> dict[str, Any]:
    return {"stem": block.stem, **block.meta.model_dump()}
