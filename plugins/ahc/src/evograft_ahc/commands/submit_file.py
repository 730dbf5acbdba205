"""`evo ahc submit-file`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evograft_ahc.commands.bilingual import AS_JSON, command, option


@command(
    "submit-file",
    ja="セッションの最良のプログラムを、貼り付けて提出できるファイルに書き出します。自動では提出しません。",
)
@click.argument("session", metavar="[SESSION_NAME_OR_ID]", required=False)
@option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    en="Where to; else submit.cpp of the workspace.",
    ja="書き出す先。なければ作業フォルダーの submit.cpp。",
)
@AS_JSON
def submit_file(session: str | None, output: Path | None, *, as_json: bool) -> None:
    """Put the best program of a session where it can be pasted from. Nothing is submitted."""
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.judging.program import MOST_BYTES
    from evograft_ahc.sessions.locations import get_session
    from evograft_ahc.sessions.submission import load_best, write_submission
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    language = load_settings(workspace).values.language
    folder = get_session(workspace, session)
    found, file = load_best(folder), (output or workspace.folder / "submit.cpp").absolute()
    write_submission(found, file)
    if as_json:
        told = {"file": str(file), "bytes": found.size, "limit": MOST_BYTES, "session": folder.name}
        click.echo(json.dumps({**told, "individual": found.best.individual_id, "average_score": found.best.score}))
        return
    click.echo(str(file))
    make_printer(language)(
        f"{found.best.individual_id} of {folder.name}, average {found.best.score:,.10g}; {found.size:,} of "
        f"{MOST_BYTES:,} bytes",
        ja=f"{folder.name} の {found.best.individual_id}、平均 {found.best.score:,.10g}。{found.size:,} / "
        f"{MOST_BYTES:,} "
        "バイト",
    )
