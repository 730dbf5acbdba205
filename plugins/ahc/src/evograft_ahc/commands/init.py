"""`evo ahc init`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from evograft.errors import EvograftError
from evograft_ahc.messages import BilingualError, Language


@click.command()
@click.argument("contest_id", metavar="COMPETITION_ID")
@click.option(
    "--workspace-root",
    type=click.Path(path_type=Path, file_okay=False),
    default="./workspace",
    show_default=True,
    help="The folder of all workspaces.",
)
@click.option(
    "--statement",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The statement (HTML, Markdown or PDF), instead of the site's.",
)
@click.option(
    "--tools",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The official archive of tools (ZIP), instead of the site's.",
)
@click.option("--contest-is-over", is_flag=True, help="State that it is over, where nothing else is known.")
@click.option("--language", type=click.Choice(["en", "ja"]), default="en", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init(contest_id: str, workspace_root: Path, language: Language, *, as_json: bool, **brought: Any) -> None:
    """Make the workspace of a contest, or complete it: statement, tools, inputs, settings."""
    from evograft_ahc.initialise import initialise

    def tell(en: str, *, ja: str) -> None:
        click.echo(ja if language == "ja" else en, err=as_json)

    try:
        workspace = initialise(contest_id, workspace_root, language=language, tell=tell, **brought)
    except BilingualError as err:
        raise _in(language, err) from err
    if as_json:
        made = {"folder": str(workspace.folder), "cases": len(workspace.cases())}
        click.echo(json.dumps({**made, "task": workspace.task.model_dump(mode="json")}, ensure_ascii=False))
        return
    cases = len(workspace.cases())
    tell(
        f"ready: {workspace.folder}, {cases} inputs; go on with: cd {workspace.folder} && evo ahc solve",
        ja=f"準備完了: {workspace.folder} (入力 {cases} 個)。次は: cd {workspace.folder} && evo ahc solve",
    )


def _in(language: Language, err: BilingualError) -> EvograftError:
    """The same error, with the message in a language."""
    said = EvograftError(err.said(language))
    said.exit_code = err.exit_code
    return said
