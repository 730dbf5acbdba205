"""`evo playbook templates`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", default="prompts/generator", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice(["en", "ja"]), help="Of the templates; else that of your locale.")
def templates(folder: Path, language: str | None) -> None:
    """Write the templates that are shipped to FOLDER, prompts/generator by default, to be changed there.

    A file that is there already is left as it is, and named.
    """
    from evograft.text.i18n import usual_language
    from evograft_playbook.commands.output import load_words, say, write_file
    from evograft_playbook.prompts.prompt_builder import open_shipped_templates

    t = load_words()
    for name, text in open_shipped_templates(language or usual_language()).items():
        path = folder / name
        if path.exists():
            say(t("template_there", path=path))
            continue
        write_file(path, text)
        click.echo(t("template_made", path=path))
