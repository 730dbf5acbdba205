"""`evo ahc init`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from evograft_ahc.commands.bilingual import AS_JSON, command, option
from evograft_ahc.text.messages import ContestUserError, Language, translate_errors
from evograft_ahc.workspace.overrides import UserOverrides

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@command(ja="コンテストの作業フォルダー (問題文、ツール、入力、設定) を作るか、足りないものを補います。")
@click.argument("contest_id", metavar="COMPETITION_ID")
@option(
    "--workspace-root",
    type=FOLDER,
    en="The folder of all workspaces (./workspace, unless settings say).",
    ja="作業フォルダーを置く場所 (設定がなければ ./workspace)。",
)
@option(
    "--statement",
    type=FILE,
    en="The statement (HTML, Markdown or PDF), instead of the site's.",
    ja="サイトの代わりに使う問題文 (HTML、Markdown、PDF)。",
)
@option(
    "--tools",
    metavar="ZIP|URL",
    en="The official archive of tools, or which of several to fetch.",
    ja="公式ツールのアーカイブ。複数あるときは取得するものの URL。",
)
@option(
    "--contest-is-over",
    is_flag=True,
    en="State that it is over, where nothing else is known.",
    ja="ほかに情報がないとき、コンテストが終了していると申告します。",
)
@option(
    "--task",
    metavar="LETTER",
    default="",
    en="Which task, where a contest has several.",
    ja="問題が複数あるとき、どの問題か。",
)
@option(
    "--direction",
    type=click.Choice(["max", "min"]),
    en="Whether more or less is better.",
    ja="スコアは大きいほど良いか、小さいほど良いか。",
)
@option(
    "--score-kind",
    type=click.Choice(["absolute_sum", "absolute_mean", "relative", "rank"]),
    en="How the scores of cases make one.",
    ja="各ケースの得点から全体のスコアを作る方法。",
)
@option(
    "--contest-format",
    "format",
    type=click.Choice(["short", "long"]),
    en="Whether one failed case makes a submission worth 0, as in short contests.",
    ja="短期コンテスト (1 ケースの失敗で提出全体が 0 点) かどうか。",
)
@option(
    "--case-time-limit",
    "time_limit_seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    en="What a program may take for a case.",
    ja="1 ケースの実行時間制限 (秒)。",
)
@option(
    "--language",
    type=click.Choice(["en", "ja"]),
    en="Of messages and statement (en, unless settings say).",
    ja="メッセージと問題文の言語 (設定がなければ en)。",
)
@option(
    "--site",
    default="https://atcoder.jp",
    show_default=True,
    envvar="AHC_SITE",
    en="The contest site.",
    ja="コンテストサイト。",
)
@AS_JSON
def init(
    contest_id: str,
    *,
    workspace_root: Path | None,
    language: Language | None,
    site: str,
    as_json: bool,
    **overrides: Any,
) -> None:
    """Make the workspace of a contest, or complete it: statement, tools, inputs, settings."""
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.init import initialize_workspace

    settings = load_settings().values
    spoken, root = language or settings.language, workspace_root or Path(settings.workspace.base_dir)
    tell = make_printer(spoken, err=as_json)

    def choose(options: Sequence[str], en: str, *, ja: str) -> str | None:
        return _asked(options, ja if spoken == "ja" else en) if _is_somebody_there(as_json=as_json) else None

    with translate_errors(lambda: spoken):
        given = _overrides(**overrides)
        workspace = initialize_workspace(contest_id, root, given, language=spoken, site=site, tell=tell, choose=choose)
    folder, cases = workspace.folder, len(workspace.cases())
    if as_json:
        made = {"folder": str(folder), "cases": cases, "task": workspace.task.model_dump(mode="json")}
        click.echo(json.dumps(made, ensure_ascii=False))
        return
    following = "test FILE" if workspace.task.end_source == "ongoing" else "solve"
    tell(
        f"ready: {folder}, {cases} inputs; go on with: cd {folder} && evo ahc {following}",
        ja=f"準備完了: {folder} (入力 {cases} 個)。次は: cd {folder} && evo ahc {following}",
    )


def _is_somebody_there(*, as_json: bool) -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and not as_json


def _asked(options: Sequence[str], question: str) -> str:
    from evograft.text.escapes import escape_controls

    for number, each in enumerate(options, start=1):
        click.echo(f"{number}. {escape_controls(each)}")
    return options[click.prompt(question, type=click.IntRange(1, len(options))) - 1]


def _overrides(tools: str | None, **others: Any) -> UserOverrides:
    if tools is None or tools.startswith("https://"):
        return UserOverrides(tools_url=tools or "", **others)
    archive = Path(tools)
    if not archive.is_file():
        raise ContestUserError(f"--tools: there is no file {tools!r}", ja=f"--tools: ファイル {tools!r} がありません")
    return UserOverrides(tools=archive, **others)
