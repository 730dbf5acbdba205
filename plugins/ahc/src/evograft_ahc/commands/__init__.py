"""`evo ahc`: the commands of this plugin, imported when they are called."""

from __future__ import annotations

import importlib
import keyword
from typing import Any

import click

from evograft_ahc.commands.bilingual import BilingualGroup, option
from evograft_ahc.commands.language import find_language
from evograft_ahc.text.messages import translate_errors

SUMMARIES = {
    "init": (
        "Make the workspace of a contest: statement, tools, inputs, settings.",
        "コンテストの作業フォルダー (問題文、ツール、入力、設定) を作ります。",
    ),
    "solve": ("Search for a better program.", "より良いプログラムを探索します。"),
    "test": ("Score a program on cases of the workspace.", "プログラムを作業フォルダーのケースで採点します。"),
    "watch": ("Test a program whenever it is saved.", "プログラムを保存するたびにテストします。"),
    "scores": (
        "Show all scores so far: programs, the best of each case, losses.",
        "これまでの得点: プログラム、ケースごとの最良値、損失。",
    ),
    "history": ("List tests with their comments and commits.", "テストの履歴 (コメント、コミット)。"),
    "import": ("Add results of pahcer to the scores.", "pahcer の結果を得点の記録に取り込みます。"),
    "compare": ("Compare two programs case by case.", "2 つのプログラムをケースごとに比べます。"),
    "docker": ("The workspace's development image, and a shell in it.", "開発用イメージと、その中のシェル。"),
    "status": ("Say how a session stands.", "セッションの状況を表示します。"),
    "stop": ("Stop a session; it can go on later.", "セッションを停止します。後で続けられます。"),
    "tell": ("Give a running session an instruction.", "実行中のセッションに指示を与えます。"),
    "answer": (
        "Answer prompts where you are the model.",
        "モデルの代わりにプロンプトに答えます (llm.provider manual)。",
    ),
    "report": ("Write a page about a session.", "セッションについてのページを書き出します。"),
    "batch": ("Run every combination of settings and problems.", "設定と問題のすべての組み合わせを実行します。"),
    "submit-file": (
        "Put the best program where it can be pasted from.",
        "最良のプログラムを、貼り付けて提出できるファイルに書き出します。",
    ),
    "config": ("Show or set your settings of contests.", "コンテストの設定を表示、変更します。"),
    "knowledge": ("What earlier sessions have shown.", "これまでのセッションで分かったこと。"),
    "library": (
        "The algorithm library: C++ blocks to paste into a solution.",
        "アルゴリズム集: 解に貼り付けて使う C++ のブロック。",
    ),
    "database": ("What is known about past contests.", "過去のコンテストについて分かっていること。"),
}
"""By the command's name, in English and Japanese; each is in the module of that name, with `_` for `-`, and
behind a word of Python."""


class BilingualLazyGroup(BilingualGroup):
    """A group that knows its commands' names and first lines without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        if cmd_name not in SUMMARIES:
            return None
        name = cmd_name.replace("-", "_") + "_" * keyword.iskeyword(cmd_name)
        command: click.Command = getattr(importlib.import_module(f"{__name__}.{name}"), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with translate_errors(find_language):
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        place = 1 if find_language() == "ja" else 0
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary[place]) for name, summary in SUMMARIES.items()])


def _show_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's
    from importlib.metadata import version

    if wanted:
        click.echo(f"evograft-ahc, version {version('evograft-ahc')}")
        ctx.exit()


@click.group(cls=BilingualLazyGroup, ja="AtCoder Heuristic Contest のためのコマンド。")
@option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    en="Show the version and exit.",
    ja="バージョンを表示して終了します。",
)
def ahc() -> None:
    """AtCoder Heuristic Contests."""
