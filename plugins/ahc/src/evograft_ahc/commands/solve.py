"""`evo ahc solve`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from evograft_ahc.sessions.request import Request


@click.command()
@click.option("--session-name", metavar="NAME", help="Of the new session, and of its folder; else from date and time.")
@click.option(
    "--session-id", metavar="ID", help="Go on with this session, by id or name; where there is none, begin it."
)
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), help="Seconds of the whole session.")
@click.option("--max-generations", type=click.IntRange(min=1), help="Stop after so many generations.")
@click.option("--population-size", type=click.IntRange(min=1), help="Candidates per generation.")
@click.option("--interactive", is_flag=True, help="Confirm the first steps, then ask and instruct while it works.")
@click.option(
    "--problem-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The statement, instead of problem/problem.md.",
)
@click.option("--foreground", is_flag=True, help="Stay with it until it ends, and show its progress.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting of the pipeline; repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
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
    from evograft_ahc.sessions.request import request_for
    from evograft_ahc.settings import load_settings
    from evograft_ahc.workspace import find_workspace

    workspace = find_workspace(Path.cwd())
    settings = load_settings(workspace).values.limited(**limits)
    request = request_for(
        workspace,
        settings,
        name=session_name,
        session_id=session_id,
        problem_file=problem_file,
        overrides=overrides,
        tell=lambda en, *, ja: click.echo(ja if settings.language == "ja" else en, err=True),
    )
    if interactive or foreground:
        return _stay(context, request, interactive=interactive, as_json=as_json)
    return _leave(context, request, as_json=as_json)


def _stay(context: click.Context, request: Request, *, interactive: bool, as_json: bool) -> int:
    code = _engine(context, request, interactive=interactive, as_json=as_json)
    best = request.folder / "best_solution.cpp"
    if best.exists():
        en, ja = f"best solution: {best}", f"最良の解: {best}"
        click.echo(ja if request.language == "ja" else en, err=as_json)
    return code


def _leave(context: click.Context, request: Request, *, as_json: bool) -> int:
    """Lets it go on in the background; what the engine says of runs is said of sessions."""
    import io
    from contextlib import redirect_stdout

    with redirect_stdout(io.StringIO()) as said:
        code = _engine(context, request, background=True, as_json=True)
    started = json.loads(said.getvalue())
    if as_json:
        click.echo(json.dumps({"session": started["run"], **started}))
        return code
    name, process = started["run"], started["process"]
    if request.language == "ja":
        click.echo(f"セッション {name} をバックグラウンドで実行中です (プロセス {process})")
        click.echo(f"確認: evo ahc status {name} --watch、停止: evo ahc stop {name}")
    else:
        click.echo(f"session {name} goes on in the background, process {process}")
        click.echo(f"see it with: evo ahc status {name} --watch; end it with: evo ahc stop {name}")
    return code


def _engine(context: click.Context, request: Request, **how: Any) -> int:
    """`evo run` or `evo resume`."""
    import tempfile

    from evograft.invoking import invoke

    if request.pipeline is None:
        return invoke(context, "resume", run=str(request.folder), overrides=request.overrides, **how)
    with tempfile.TemporaryDirectory() as folder:
        # The run keeps it in its lock file, once it is checked.
        file = Path(folder) / "pipeline.yaml"
        file.write_text(request.pipeline, encoding="utf-8")
        return invoke(context, "run", pipeline=file, run_dir=request.folder, **how)
