"""`evo ahc solve`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft_ahc.commands.bilingual import command, option

if TYPE_CHECKING:
    from evograft.api import StartedRun
    from evograft_ahc.sessions.request import SessionRequest


@command(
    ja="カレントフォルダーの作業フォルダーで、より良いプログラムを探索します。\n\n"
    "バックグラウンドで動き続けます (evo ahc status、evo ahc stop)。指定しないものは ahc_config.yaml の設定に従います。"
)
@option(
    "--session-name",
    metavar="NAME",
    en="Of the new session, and of its folder; else from date and time.",
    ja="新しいセッションとそのフォルダーの名前。なければ日時から付けます。",
)
@option(
    "--session-id",
    metavar="ID",
    en="Go on with this session, by id or name; where there is none, begin it.",
    ja="この ID か名前のセッションの続き。なければその名前で始めます。",
)
@option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    en="Seconds of the whole session.",
    ja="セッション全体の制限時間 (秒)。",
)
@option(
    "--max-generations", type=click.IntRange(min=1), en="Stop after so many generations.", ja="この世代数で終了します。"
)
@option("--population-size", type=click.IntRange(min=1), en="Candidates per generation.", ja="1 世代の候補の数。")
@option(
    "--interactive",
    is_flag=True,
    en="Confirm the first steps, then ask and instruct while it works.",
    ja="最初の手順を確認しながら進め、実行中も質問や指示ができます。",
)
@option(
    "--problem-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    en="The statement, instead of problem/problem.md.",
    ja="problem/problem.md の代わりに使う問題文。",
)
@option(
    "--knowledge",
    type=click.Choice(["own", "others", "none"]),
    en="Past contests that models are told of: own, this one too, with its earlier sessions; others; none.",
    ja="モデルに伝える過去のコンテスト。own: このコンテストも、others: ほかだけ、none: なし。",
)
@option(
    "--foreground",
    is_flag=True,
    en="Stay with it until it ends, and show its progress.",
    ja="終わるまで待ち、進み具合を表示します。",
)
@option(
    *("--set", "overrides"),
    multiple=True,
    metavar="KEY=VALUE",
    en="Override a setting of the pipeline; repeatable.",
    ja="パイプラインの設定を上書きします。何度でも指定できます。",
)
@option(
    *("--json", "as_json"),
    is_flag=True,
    en="Print the result as one JSON object.",
    ja="結果を 1 つの JSON オブジェクトで出力します。",
)
def solve(
    session_name: str | None,
    session_id: str | None,
    problem_file: Path | None,
    overrides: tuple[str, ...],
    *,
    interactive: bool,
    foreground: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Search for a better program, in the workspace that the current folder is.

    It goes on in the background; see evo ahc status and stop. What is not given is set by ahc_config.yaml.
    """
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.sessions.request import build_request
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.text.messages import ContestUserError
    from evograft_ahc.workspace.folder import find_workspace

    if interactive and as_json:
        raise ContestUserError(
            "--interactive and --json: a conversation is no JSON; choose one, and ask later with evo status --json",
            ja="--interactive と --json は同時に使えません。どちらかを選び、状況は後で evo ahc status --json "
            "で確認してください",
        )
    workspace = find_workspace(Path.cwd())
    settings = load_settings(workspace).values.limited(**given)
    request = build_request(
        workspace,
        settings,
        name=session_name,
        session_id=session_id,
        problem_file=problem_file,
        overrides=overrides,
        tell=make_printer(settings.language, err=True),
    )
    if interactive or foreground:
        return _work_here(request, interactive=interactive, as_json=as_json)
    return _work_in_background(request, as_json=as_json)


def _work_here(request: SessionRequest, *, interactive: bool, as_json: bool) -> int:
    """Work on the session until it stops, and say where its best solution is."""
    from evograft_ahc.commands.language import make_printer

    started = _start(request, interactive=interactive, as_json=as_json)
    best, say = request.folder / "best_solution.cpp", make_printer(request.language, err=as_json)
    if best.exists():
        say(f"best solution: {best}", ja=f"最良の解: {best}")
    if started.exit_code:
        again = f"evo ahc solve --session-id {request.folder.name}"
        say(f"go on with this session: {again}", ja=f"このセッションを続けるには: {again}")
    return started.exit_code


def _work_in_background(request: SessionRequest, *, as_json: bool) -> int:
    """Start a process that works on the session, and say how to follow and end it."""
    from evograft_ahc.commands.language import make_printer

    started = _start(request, background=True, as_json=as_json)
    name, process = started.name, started.process
    if as_json:
        run = {"run": name, "id": started.id, "folder": str(started.folder), "process": process}
        click.echo(json.dumps({"session": name, **run}))
        return started.exit_code
    make_printer(request.language)(
        f"session {name} goes on in the background, process {process}\n"
        f"see it with: evo ahc status {name} --watch; end it with: evo ahc stop {name}",
        ja=f"セッション {name} をバックグラウンドで実行中です (プロセス {process})\n"
        f"確認: evo ahc status {name} --watch、停止: evo ahc stop {name}",
    )
    return started.exit_code


def _start(
    request: SessionRequest, *, background: bool = False, interactive: bool = False, as_json: bool = False
) -> StartedRun:
    from evograft.api import resume, start

    how = {"background": background, "interactive": interactive, "as_json": as_json}
    if request.pipeline is None:
        return resume(request.folder, request.overrides, **how)
    return start(request.pipeline, request.folder, **how)
