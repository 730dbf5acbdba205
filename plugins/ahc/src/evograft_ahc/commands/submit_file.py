"""`evo ahc submit-file`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.text.plurals import counted
from evograft_ahc.commands.bilingual import AS_JSON, command, option

if TYPE_CHECKING:
    from evograft_ahc.workspace.folder import Workspace


@command(
    "submit-file",
    ja="セッションの最良のプログラムか、FILE のプログラムを、貼り付けて提出できる 1 つのファイルに書き出します。\n\n"
    'C++ の FILE が #include "…" で読み込むファイルは展開されます。自動では提出しません。',
)
@click.argument("program", metavar="[SESSION_NAME_OR_ID|FILE]", required=False)
@option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    en="Where to; else submit.cpp of the workspace, or submit with the suffix of FILE.",
    ja="書き出す先。なければ作業フォルダーの submit.cpp (FILE なら同じ拡張子の submit)。",
)
@AS_JSON
def submit_file(program: str | None, output: Path | None, *, as_json: bool) -> None:
    """Put the best program of a session, or that of FILE, where it can be pasted from. Nothing is submitted.

    A FILE in C++ may include others with #include "…": the result is one file.
    """
    from evograft_ahc.judging.languages import has_language
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    if program is not None and (Path(program).is_file() or has_language(Path(program))):
        _write_own(workspace, Path(program), output, as_json=as_json)
    else:
        _write_best(workspace, program, output, as_json=as_json)


def _write_best(workspace: Workspace, session: str | None, output: Path | None, *, as_json: bool) -> None:
    from evograft_ahc.judging.program import MOST_BYTES
    from evograft_ahc.sessions.locations import get_session
    from evograft_ahc.sessions.submission import load_best, write_submission

    folder = get_session(workspace, session)
    found, file = load_best(folder), (output or workspace.folder / "submit.cpp").absolute()
    write_submission(found.source, file)
    if as_json:
        told = {"file": str(file), "bytes": found.size, "limit": MOST_BYTES, "session": folder.name}
        click.echo(json.dumps({**told, "individual": found.best.individual_id, "average_score": found.best.score}))
        return
    best, name = found.best.individual_id, folder.name
    _print_written(
        file,
        found.size,
        en=f"{best} of {name}, average {found.best.score:,.10g}; ",
        ja=f"{name} の {best}、平均 {found.best.score:,.10g}。",
    )


def _write_own(workspace: Workspace, program: Path, output: Path | None, *, as_json: bool) -> None:
    from evograft_ahc.judging.program import MOST_BYTES
    from evograft_ahc.judging.source_file import read_source_file
    from evograft_ahc.sessions.submission import require_short, write_submission

    found = read_source_file(program)
    file, size = (output or workspace.folder / f"submit{program.suffix}").absolute(), len(found.source.encode())
    require_short(found.source, program)
    write_submission(found.source, file)
    if as_json:
        files = [str(each) for each in found.files]
        click.echo(json.dumps({"file": str(file), "bytes": size, "limit": MOST_BYTES, "files": files}))
        return
    name, count = found.language.name, len(found.files)
    _print_written(file, size, en=f"{name}, {counted(count, 'file')}; ", ja=f"{name}、{count} ファイル。")


def _print_written(file: Path, size: int, *, en: str, ja: str) -> None:
    from evograft_ahc.commands.language import find_language, make_printer
    from evograft_ahc.judging.program import MOST_BYTES

    click.echo(str(file))
    make_printer(find_language())(f"{en}{size:,} of {MOST_BYTES:,} bytes", ja=f"{ja}{size:,} / {MOST_BYTES:,} バイト")
