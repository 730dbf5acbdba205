"""`evo playbook stats`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_playbook.commands.options import json_option, open_store, playbook_option

if TYPE_CHECKING:
    from evograft_playbook.types import Bullet


@dataclass(frozen=True)
class PlaybookFigures:
    """Counts of some bullets."""

    bullets: int
    """In use."""
    retired: int
    helpful: int
    """Of those in use, as all that follows."""
    harmful: int
    uncounted: int
    """Of which nobody has said whether they help."""
    characters: int


@click.command()
@playbook_option
@json_option
def stats(path: Path | None, *, as_json: bool) -> None:
    """Count what there is, section by section."""
    from evograft_playbook.commands.output import load_words, print_json, print_table

    with open_store(path) as store:
        bullets = store.load().bullets
    sections = sorted({bullet.section for bullet in bullets})
    by_section = {name: compute_figures([bullet for bullet in bullets if bullet.section == name]) for name in sections}
    total = compute_figures(bullets)
    if as_json:
        print_json({"sections": {name: asdict(each) for name, each in by_section.items()}, "total": asdict(total)})
        return
    t = load_words()
    rows = [(name, *map(str, asdict(each).values())) for name, each in [*by_section.items(), (t("total"), total)]]
    print_table((t("section"), *(t(name) for name in asdict(total))), rows)


def compute_figures(bullets: Sequence[Bullet]) -> PlaybookFigures:
    used = [bullet for bullet in bullets if not bullet.retired]
    return PlaybookFigures(
        bullets=len(used),
        retired=len(bullets) - len(used),
        helpful=sum(bullet.helpful for bullet in used),
        harmful=sum(bullet.harmful for bullet in used),
        uncounted=sum(not bullet.helpful + bullet.harmful for bullet in used),
        characters=sum(len(bullet.content) for bullet in used),
    )
