"""What a user brings to `init` or states, where the site does not tell or can't be reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evograft_ahc.contests.task import ContestFormat, Direction, ScoreKind


@dataclass(frozen=True)
class UserOverrides:
    """Each part stands for what would else be fetched or recognised."""

    statement: Path | None = None
    """HTML, Markdown or PDF."""
    tools: Path | None = None
    """The official archive of tools, ZIP."""
    tools_url: str = ""
    """Which archive to fetch, where a statement links to several."""
    contest_is_over: bool = False
    """Counts where neither the contest's page nor the packaged data knows its end."""
    task: str = ""
    """The letter of a task, where a contest has several."""
    direction: Direction | None = None
    score_kind: ScoreKind | None = None
    format: ContestFormat | None = None
    time_limit_seconds: float | None = None
