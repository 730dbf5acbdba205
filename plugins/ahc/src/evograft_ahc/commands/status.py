"""`evo ahc status`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_ahc.commands.bilingual import command, option

if TYPE_CHECKING:
    from evograft_ahc.sessions.status import SessionStatus, SessionWatcher
    from evograft_ahc.text.messages import Language
    from evograft_ahc.workspace.folder import Workspace

EVERY = 1.0


@command(ja="この作業フォルダーのセッションの状況を表示します。名前がなければ最新のもの。")
@click.argument("session", metavar="[SESSION_NAME_OR_ID]", required=False)
@option(
    "--watch",
    is_flag=True,
    en="Show it again every second until it ends; Ctrl-C leaves the session alone.",
    ja="終わるまで毎秒表示し直します。Ctrl-C で表示だけをやめます。",
)
@option(
    *("--all", "every"),
    is_flag=True,
    en="All sessions of the workspace, a line each.",
    ja="作業フォルダーの全セッションを 1 行ずつ表示します。",
)
@option(
    *("--json", "as_json"),
    is_flag=True,
    en="Print JSON; with --watch an object a line.",
    ja="JSON で出力します。--watch では 1 行に 1 つ。",
)
def status(session: str | None, *, watch: bool, every: bool, as_json: bool) -> None:
    """Say how a session of this workspace stands: the newest, where none is named."""
    from evograft_ahc.sessions.locations import get_session
    from evograft_ahc.sessions.status import watch_session
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    language = load_settings(workspace).values.language
    if every:
        _print_all(workspace, language, as_json=as_json)
        return
    with watch_session(get_session(workspace, session)) as watcher:
        if watch:
            _watch(watcher, language, as_json=as_json)
        else:
            click.echo(_text(watcher.look(), language, as_json=as_json))


def _text(session: SessionStatus, language: Language, *, as_json: bool) -> str:
    from evograft_ahc.sessions.status_text import describe_status

    return json.dumps(session.to_data(), ensure_ascii=False) if as_json else describe_status(session, language)


def _print_all(workspace: Workspace, language: Language, *, as_json: bool) -> None:
    from evograft.api import EvograftError
    from evograft_ahc.sessions.locations import list_sessions
    from evograft_ahc.sessions.status import watch_session
    from evograft_ahc.sessions.status_text import summarize_status

    standings = []
    for folder in list_sessions(workspace):
        try:
            with watch_session(folder) as watcher:
                standings.append(watcher.look())
        except EvograftError as err:
            click.echo(f"{folder.name}: {err}", err=True)
    if as_json:
        click.echo(json.dumps([each.to_data() for each in standings], ensure_ascii=False))
        return
    for each in standings:
        click.echo(summarize_status(each, language))


def _watch(watcher: SessionWatcher, language: Language, *, as_json: bool) -> None:
    if as_json or not sys.stdout.isatty():
        from evograft_ahc.sessions.status_text import summarize_status

        for session in _looks(watcher):
            click.echo(_text(session, language, as_json=True) if as_json else summarize_status(session, language))
        return
    from rich.live import Live
    from rich.text import Text

    with Live(refresh_per_second=4) as live:
        for session in _looks(watcher):
            live.update(Text(_text(session, language, as_json=False)))


def _looks(watcher: SessionWatcher) -> Iterator[SessionStatus]:
    """Yield the status once a second, the last one when nobody works on the session any more."""
    while True:
        found = watcher.look()
        yield found
        if found.run_status.writer is None:
            return
        time.sleep(EVERY)
