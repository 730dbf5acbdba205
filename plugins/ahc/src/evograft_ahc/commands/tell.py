"""`evo ahc tell`."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout

import click

from evograft_ahc.commands.bilingual import AS_JSON, command


@command(
    ja="実行中のセッションに指示を与えます。まだ始まっていないすべての試行に助言として届きます。\n\n"
    "セッションを省くと、最新のものに与えます。"
)
@click.argument("words", metavar="[SESSION_NAME_OR_ID] TEXT", nargs=-1, required=True)
@AS_JSON
@click.pass_context
def tell(context: click.Context, /, words: tuple[str, ...], *, as_json: bool) -> None:
    """Give a session an instruction, such as "try beam search": every trial that is not open yet gets it as advice.

    Without a session it goes to the newest.
    """
    from evograft.invoking import invoke
    from evograft.rundir import writer_of
    from evograft_ahc.commands.here import session_here
    from evograft_ahc.commands.speaking import language_here, speaker
    from evograft_ahc.messages import Mistake

    *names, text = words
    if len(names) > 1:
        raise Mistake(
            'write the instruction as one word in quotes: evo ahc tell [SESSION] "try beam search"',
            ja='指示は引用符で囲んでください: evo ahc tell [SESSION] "ビームサーチを試す"',
        )
    folder = session_here(names[0] if names else None)
    with redirect_stdout(io.StringIO()):
        invoke(context, "tell", run=str(folder), text=text)
    if as_json:
        click.echo(json.dumps({"session": folder.name, "folder": str(folder), "text": text}, ensure_ascii=False))
        return
    say, again = speaker(language_here()), f"evo ahc solve --session-id {folder.name}"
    if writer_of(folder) is None:
        say(
            f"session {folder.name} is not running; it gets this when it is resumed: {again}",
            ja=f"セッション {folder.name} は実行中ではありません。再開したときに届きます: {again}",
        )
        return
    say(
        f"told session {folder.name}: every trial that is not open yet gets it",
        ja=f"セッション {folder.name} に伝えました。まだ始まっていない試行に届きます",
    )
