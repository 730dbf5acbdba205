"""`evo ahc library`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from evograft_ahc.blocks import Block, get_block, load_library, search_blocks
from evograft_ahc.commands.here import settings_here

Command = Callable[..., None]


def _folders(_context: click.Context, _option: click.Parameter, given: tuple[Path, ...]) -> tuple[Path, ...]:
    settings, folder = settings_here()
    return given or settings.algorithm_library.beside(folder)


def _language(_context: click.Context, _option: click.Parameter, given: str | None) -> str:
    return given or settings_here()[0].language


def _options(command: Command) -> Command:
    folders = click.option(
        *("--folder", "folders"),
        multiple=True,
        type=click.Path(path_type=Path),
        callback=_folders,
        help="A folder with more blocks, instead of that of the settings.",
    )
    language = click.option(
        "--language", type=click.Choice(["en", "ja"]), callback=_language, help="en, unless settings say."
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return folders(language(as_json(command)))


@click.group()
def library() -> None:
    """The algorithm library: C++ blocks to paste into a solution."""


@library.command("list")
@_options
def list_blocks(*, folders: tuple[Path, ...], language: str, as_json: bool) -> None:
    """List the blocks."""
    _print_list(load_library(folders).values(), language, as_json=as_json)


@library.command()
@click.argument("keyword")
@_options
def search(*, keyword: str, folders: tuple[Path, ...], language: str, as_json: bool) -> None:
    """List the blocks that mention every word of KEYWORD."""
    _print_list(search_blocks(load_library(folders), keyword), language, as_json=as_json)


@library.command()
@click.argument("name")
@_options
def show(*, name: str, folders: tuple[Path, ...], language: str, as_json: bool) -> None:
    """Print the block NAME: description, complexity, how to use it, code."""
    block = get_block(load_library(folders), name)
    if as_json:
        click.echo(json.dumps({**_row(block), "code": block.code}, ensure_ascii=False))
        return
    meta = block.meta
    click.echo(f"{meta.name} ({block.stem})\n{block.described(language)}")
    click.echo(f"\ntime   {meta.time_complexity}\nspace  {meta.space_complexity}\ntags   {', '.join(meta.tags)}")
    for title, lines in (("functions", meta.function_signatures), ("template parameters", meta.template_parameters)):
        if lines:
            click.echo(f"\n{title}:\n" + "\n".join(f"  {line}" for line in lines))
    if meta.notes:
        click.echo(f"\nnotes: {meta.notes}")
    click.echo(f"\nhow to use it:\n{meta.usage_example}\n\n{block.code}", nl=False)


def _print_list(blocks: Iterable[Block], language: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_row(block) for block in blocks], ensure_ascii=False))
        return
    for block in blocks:
        click.echo(f"{block.stem:24} {block.described(language)}")


def _row(block: Block) -> dict[str, Any]:
    return {"stem": block.stem, **block.meta.model_dump()}
