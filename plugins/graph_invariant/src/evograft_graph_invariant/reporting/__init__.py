"""The report of an experiment, from its artifacts folder: Markdown, and one HTML page that needs no network."""

from __future__ import annotations

from pathlib import Path

MARKDOWN = "report.md"
PAGE = "report.html"


def write_report(artifacts: Path, *, language: str = "en") -> list[Path]:
    """Write `report.md` and `report.html` into an artifacts folder, in place of the last ones.

    Args:
        artifacts: holds `phase1_summary.json`, `phase2_summary.json`, `events.jsonl`, `checkpoints`, or some of them;
            what is missing, older or broken is said in the report.
        language: of the report, `en` or `ja`.

    Raises:
        UserError: the folder holds nothing to report on, or cannot be written to.
    """
    from evograft.api import UserError, write_atomically
    from evograft_graph_invariant.reporting.artifacts import read_artifacts
    from evograft_graph_invariant.reporting.markdown import to_markdown
    from evograft_graph_invariant.reporting.report import build_report
    from evograft_graph_invariant.reporting.wording import PACKAGE, ReportWording
    from evograft_report.toolkit.document import render

    wording = ReportWording(language)
    report = build_report(read_artifacts(artifacts), wording)
    page = render(PACKAGE, "report.html", wording.t, css=("report.css",), report=report)
    files = {artifacts / MARKDOWN: to_markdown(report, wording.t), artifacts / PAGE: page}
    try:
        for path, text in files.items():
            write_atomically(path, text.encode())
    except OSError as err:
        raise UserError(f"cannot write the report into {str(artifacts)!r}: {err.strerror}") from err
    return list(files)
