"""`evo ahc report`."""

from __future__ import annotations

from pathlib import Path

import click

from evograft_ahc.commands.bilingual import command, option


@command(ja="セッションについての HTML ページを 1 つ書き出します。セッションを省くと最新のものです。")
@click.argument("session", metavar="[SESSION_NAME_OR_ID]", required=False)
@option(
    *("--output", "-o"),
    type=click.Path(path_type=Path),
    en="The page to write; report.html in the session's folder otherwise.",
    ja="書き出すページ。なければセッションのフォルダーの report.html。",
)
@option("--json", "as_json", is_flag=True, en="Print the figures as JSON.", ja="数値を JSON で出力します。")
@click.pass_context
def report(context: click.Context, /, session: str | None, output: Path | None, *, as_json: bool) -> int:
    """Write a page about a session: one HTML file that needs no network. Without a session it is about the newest."""
    from evograft.cli_kit.invoke import invoke
    from evograft_ahc.commands.language import find_language
    from evograft_ahc.commands.location import get_current_session

    folder = get_current_session(session)
    return invoke(context, "report", run=str(folder), output=output, language=find_language(), as_json=as_json)
