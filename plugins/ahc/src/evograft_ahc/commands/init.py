"""`evo ahc init`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from evograft_ahc.brought import Brought
from evograft_ahc.messages import Language, Mistake

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("contest_id", metavar="COMPETITION_ID")
@click.option("--workspace-root", type=FOLDER, help="The folder of all workspaces (./workspace, unless settings say).")
@click.option("--statement", type=FILE, help="The statement (HTML, Markdown or PDF), instead of the site's.")
@click.option("--tools", metavar="ZIP|URL", help="The official archive of tools, or which of several to fetch.")
@click.option("--contest-is-over", is_flag=True, help="State that it is over, where nothing else is known.")
@click.option("--task", metavar="LETTER", default="", help="Which task, where a contest has several.")
@click.option("--direction", type=click.Choice(["max", "min"]), help="Whether more or less is better.")
@click.option(
    "--score-kind",
    type=click.Choice(["absolute_sum", "absolute_mean", "relative", "rank"]),
    help="How the scores of cases make one.",
)
@click.option(
    "--contest-format",
    "format",
    type=click.Choice(["short", "long"]),
    help="Whether one failed case makes a submission worth 0, as in short contests.",
)
@click.option(
    "--case-time-limit",
    "time_limit_seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="What a program may take for a case.",
)
@click.option(
    "--language", type=click.Choice(["en", "ja"]), help="Of messages and statement (en, unless settings say)."
)
@click.option("--site", default="https://atcoder.jp", show_default=True, envvar="AHC_SITE", help="The contest site.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init(
    contest_id: str,
    *,
    workspace_root: Path | None,
    language: Language | None,
    site: str,
    as_json: bool,
    **brought: Any,
) -> None:
    """Make the workspace of a contest, or complete it: statement, tools, inputs, settings."""
    from evograft_ahc.commands.speaking import speaking
    from evograft_ahc.initialise import initialise
    from evograft_ahc.settings import load_settings

    settings = load_settings().values
    spoken, root = language or settings.language, workspace_root or Path(settings.workspace.base_dir)

    def tell(en: str, *, ja: str) -> None:
        click.echo(ja if spoken == "ja" else en, err=as_json)

    def choose(options: Sequence[str], en: str, *, ja: str) -> str | None:
        return _asked(options, ja if spoken == "ja" else en) if _is_somebody_there(as_json=as_json) else None

    with speaking(spoken):
        given = _brought(**brought)
        workspace = initialise(contest_id, root, given, language=spoken, site=site, tell=tell, choose=choose)
    folder, cases = workspace.folder, len(workspace.cases())
    if as_json:
        made = {"folder": str(folder), "cases": cases, "task": workspace.task.model_dump(mode="json")}
        click.echo(json.dumps(made, ensure_ascii=False))
        return
    tell(
        f"ready: {folder}, {cases} inputs; go on with: cd {folder} && evo ahc solve",
        ja=f"準備完了: {folder} (入力 {cases} 個)。次は: cd {folder} && evo ahc solve",
    )


def _is_somebody_there(*, as_json: bool) -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and not as_json


def _asked(options: Sequence[str], question: str) -> str:
    from evograft.pages.clip import visible

    for number, option in enumerate(options, start=1):
        click.echo(f"{number}. {visible(option)}")
    return options[click.prompt(question, type=click.IntRange(1, len(options))) - 1]


def _brought(tools: str | None, **others: Any) -> Brought:
    if tools is None or tools.startswith("https://"):
        return Brought(tools_url=tools or "", **others)
    archive = Path(tools)
    if not archive.is_file():
        raise Mistake(f"--tools: there is no file {tools!r}", ja=f"--tools: ファイル {tools!r} がありません")
    return Brought(tools=archive, **others)
