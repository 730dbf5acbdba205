"""`evo ahc answer`."""

from __future__ import annotations

from pathlib import Path

import click

from evograft_ahc.commands.bilingual import command, option


@command(
    ja="答えを待っているプロンプトを一覧し、NAME のものに答えます (llm.provider が manual のセッション)。\n\n"
    "セッションを省くと最新のものです。"
)
@click.argument("session", metavar="[SESSION_NAME_OR_ID]", required=False)
@click.argument("name", required=False)
@option(
    "--file",
    type=click.Path(path_type=Path),
    en="Answer with the text of this file.",
    ja="このファイルの内容で答えます。",
)
@option(
    *("--stdin", "from_stdin"),
    is_flag=True,
    en="Answer with what comes on standard input.",
    ja="標準入力の内容で答えます。",
)
@option("--show", metavar="NAME", en="Print a whole prompt.", ja="プロンプトの全文を表示します。")
@option("--json", "as_json", is_flag=True, en="Print the list as JSON.", ja="一覧を JSON で出力します。")
@click.pass_context
def answer(
    context: click.Context,
    /,
    session: str | None,
    name: str | None,
    file: Path | None,
    show: str | None,
    *,
    from_stdin: bool,
    as_json: bool,
) -> int:
    """List the prompts of a session that wait for an answer, or answer the prompt NAME.

    Prompts wait where llm.provider is manual. Without a session it is the newest.
    """
    from evograft.cli_kit.invoke import invoke
    from evograft_ahc.commands.location import get_current_session

    folder = get_current_session(session)
    given = {"name": name, "file": file, "show": show, "from_stdin": from_stdin, "as_json": as_json}
    return invoke(context, "answer", run=str(folder), **given)
