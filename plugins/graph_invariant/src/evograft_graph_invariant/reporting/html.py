"""The report as one HTML file."""

from __future__ import annotations

from evograft_graph_invariant.reporting.blocks import ExperimentReport
from evograft_graph_invariant.reporting.wording import PACKAGE, ReportWording
from evograft_report.toolkit.document import render


def to_html(report: ExperimentReport, w: ReportWording) -> str:
    return render(PACKAGE, "report.html", w.t, css=("report.css",), report=report)
