"""`evo ahc tell`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import AS_JSON, command

if TYPE_CHECKING:
    from evograft.api import Reception


@command(
    ja="実行中のセッションに指示を与えます。まだ始まっていないすべての試行に助言として届きます。\n\n"
    "セッションを省くと、最新のものに与えます。"
)
@click.argument("words", metavar="[SESSION_NAME_OR_ID] TEXT", nargs=-1, required=True)
@AS_JSON
def tell(words: tuple[str, ...], *, as_json: bool) -> None:
    """Give a session an instruction, such as "try beam search": every trial that is not open yet gets it as advice.

    Without a session it goes to the newest.
    """
    from evograft.api import send_instruction
    from evograft_ahc.commands.language import find_language, make_printer
    from evograft_ahc.commands.location import get_current_session
    from evograft_ahc.text.messages import ContestUserError

    *names, text = words
    if len(names) > 1:
        raise ContestUserError(
            'write the instruction as one word in quotes: evo ahc tell [SESSION] "try beam search"',
            ja='指示は引用符で囲んでください: evo ahc tell [SESSION] "ビームサーチを試す"',
        )
    folder = get_current_session(names[0] if names else None)
    delivery = send_instruction(folder, text)
    if as_json:
        told = {"session": folder.name, "folder": str(folder), "text": text, "reception": delivery.reception}
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    _say_received(folder, delivery.reception)
    if not delivery.has_model:
        make_printer(find_language(), err=True)(
            "this session asks no model: its instructions may find nobody to follow them",
            ja="このセッションはモデルを使わないため、指示に従うものがないかもしれません",
        )


def _say_received(folder: Path, reception: Reception) -> None:
    from evograft_ahc.commands.language import find_language, make_printer

    say, again = make_printer(find_language()), f"evo ahc solve --session-id {folder.name}"
    if reception == "queued":
        say(
            f"told session {folder.name}: every trial that is not open yet gets it",
            ja=f"セッション {folder.name} に伝えました。まだ始まっていない試行に届きます",
        )
    elif reception == "busy":
        say(
            f"session {folder.name} is busy; it gets this when it next looks, or when it is resumed: {again}",
            ja=f"セッション {folder.name} は処理中です。次に確認したとき、または再開したときに届きます: {again}",
        )
    else:
        say(
            f"session {folder.name} is not running; it gets this when it is resumed: {again}",
            ja=f"セッション {folder.name} は実行中ではありません。再開したときに届きます: {again}",
        )
