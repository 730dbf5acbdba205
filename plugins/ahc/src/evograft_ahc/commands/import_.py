"""`evo ahc import`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evograft_ahc.commands.bilingual import AS_JSON, command


@command(
    "import",
    ja="pahcer の結果を得点の記録に取り込みます。\n\n"
    "FOLDER は pahcer_config.toml のあるフォルダーか、結果のフォルダーです。同じ結果は何度取り込んでも 1 回です。",
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@AS_JSON
def import_(folder: Path, *, as_json: bool) -> None:
    """Add results of pahcer to the record of scores.

    FOLDER holds pahcer_config.toml, or the results themselves. A result that is imported again counts once.
    """
    from evograft_ahc.commands.language import make_printer
    from evograft_ahc.scores.pahcer import read_pahcer_folder
    from evograft_ahc.scores.record import open_score_record
    from evograft_ahc.settings.model import load_settings
    from evograft_ahc.workspace.folder import find_workspace

    workspace = find_workspace(Path.cwd())
    runs = tuple(read_pahcer_folder(folder, workspace.task.direction))
    with open_score_record(workspace) as record:
        record.put(*runs)
    results, best = (sum(run.source == source for run in runs) for source in ("pahcer", "best"))
    if as_json:
        click.echo(json.dumps({"runs": results, "best_scores": bool(best)}))
        return
    make_printer(load_settings(workspace).values.language)(
        f"{results} runs{' and the best scores' * best} are in the record: evo ahc scores, evo ahc history",
        ja=f"{results} 回の実行{'と最良値' * best}を記録しました: evo ahc scores、evo ahc history",
    )
