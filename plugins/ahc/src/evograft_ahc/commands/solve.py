"""`evo ahc solve`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evograft_ahc.commands.bilingual import command, option

if TYPE_CHECKING:
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
@click.pass_context
def solve(
    context: click.Context,
    /,
    session_name: str | None,
    session_id: str | None,
    problem_file: Path | None,
    overrides: tuple[str, ...],
    *,
    interactive: bool,
    foreground: bool,
    as_json: bool,
    **limits: Any,
) -> int:
    """Search for a better program, in the workspace that the current folder is.

    It goes on in the background; see evo ahc status and stop. What is not given is set by ahc_config.yaml.
    """
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.sessions.request import build_request
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    settings = load_settings(workspace).values.limited(**limits)
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
        return _stay(context, request, interactive=interactive, as_json=as_json)
    return _leave(context, request, as_json=as_json)


def _stay(context: click.Context, request: SessionRequest, *, interactive: bool, as_json: bool) -> int:
    from evograft_ahc.commands.language import make_printer

    code = _engine(context, request, interactive=interactive, as_json=as_json)
    best, say = request.folder / "best_solution.cpp", make_printer(request.language, err=as_json)
    if best.exists():
        say(f"best solution: {best}", ja=f"最良の解: {best}")
    if code:
        again = f"evo ahc solve --session-id {request.folder.name}"
        say(f"go on with this session: {again}", ja=f"このセッションを続けるには: {again}")
    return code


def _leave(context: click.Context, request: SessionRequest, *, as_json: bool) -> int:
    """Lets it go on in the background; what the engine says of runs is said of sessions."""
    import io
    from contextlib import redirect_stdout

    from evograft_ahc.commands.language import make_printer

    with redirect_stdout(io.StringIO()) as said:
        code = _engine(context, request, background=True, as_json=True)
    started = json.loads(said.getvalue())
    if as_json:
        click.echo(json.dumps({"session": started["run"], **started}))
        return code
    name, process = started["run"], started["process"]
    make_printer(request.language)(
        f"session {name} goes on in the background, process {process}\n"
        f"see it with: evo ahc status {name} --watch; end it with: evo ahc stop {name}",
        ja=f"セッション {name} をバックグラウンドで実行中です (プロセス {process})\n"
        f"確認: evo ahc status {name} --watch、停止: evo ahc stop {name}",
    )
    return code


def _engine(context: click.Context, request: SessionRequest, **how: Any) -> int:
    """`evo run` or `evo resume`."""
    import tempfile

    from evograft.cli_kit.invoke import invoke

    if request.pipeline is None:
        return invoke(context, "resume", run=str(request.folder), overrides=request.overrides, **how)
    with tempfile.TemporaryDirectory() as folder:
        # The run keeps it in its lock file, once it is checked.
        file = Path(folder) / "pipeline.yaml"
        file.write_text(request.pipeline, encoding="utf-8")
        return invoke(context, "run", pipeline=file, run_dir=request.folder, **how)
