"""`evo ahc stop`."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import click

from evograft_ahc.commands.bilingual import AS_JSON, command


@command(ja="セッションを停止します。実行中のものは終わらせるか打ち切り、後で続けられます。")
@click.argument("session", metavar="[SESSION_NAME_OR_ID]", required=False)
@AS_JSON
@click.pass_context
def stop(context: click.Context, /, session: str | None, *, as_json: bool) -> None:
    """Stop a session: what is in flight is finished or given up, and it can go on later."""
    from evograft.cli_kit.invoke import invoke
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.sessions.locations import get_session
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    language = load_settings(workspace).values.language
    folder = get_session(workspace, session)
    with redirect_stdout(io.StringIO()):
        invoke(context, "stop", run=str(folder))
    if as_json:
        click.echo(json.dumps({"session": folder.name, "folder": str(folder)}))
        return
    again = f"evo ahc solve --session-id {folder.name}"
    tell = make_printer(language)
    tell(f"stopped {folder.name}; go on with: {again}", ja=f"{folder.name} を停止しました。続けるには: {again}")
