"""A page about the record of scores of a workspace, with or without sessions."""

from __future__ import annotations

from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_ahc.contests.task import ContestTask
from evograft_ahc.reporting.score_sections import build_score_sections
from evograft_ahc.scores.view import ScoreView
from evograft_ahc.text.messages import Language


def render_scores(view: ScoreView, task: ContestTask, language: Language) -> str:
    """Return the page as HTML.

    Args:
        view: of the record.
        task: of the workspace.
        language: of the page.
    """
    from evograft_report.toolkit.document import render

    return render(
        "evograft_ahc.reporting",
        "scores.html",
        Catalog(language, __package__),
        contest=sanitize(task.contest_id),
        title=sanitize(task.title),
        sections=list(build_score_sections(view, task.direction, language)),
    )
