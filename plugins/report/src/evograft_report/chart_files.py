"""Charts as files of their own: SVG as the page has them, and PNG drawn from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evograft.errors import UserError
from evograft_report.toolkit.chart import Chart
from evograft_report.toolkit.document import load_css
from evograft_report.toolkit.palette import resolve_variables

ZOOM = 2.0
"""Pixels of a PNG to a unit of the drawing."""


def get_renderers(formats: str) -> Mapping[str, Callable[[Chart], bytes]]:
    """Return what writes a chart, by the ending of its file.

    Args:
        formats: `svg`, `png` or `both`.

    Raises:
        UserError: PNG is wanted and what draws it is not installed.
    """
    found: dict[str, Callable[[Chart], bytes]] = {}
    if formats in ("svg", "both"):
        found["svg"] = _svg
    if formats in ("png", "both"):
        found["png"] = _png_renderer()
    return found


def _svg(chart: Chart) -> bytes:
    return chart.file(resolve_variables(load_css("charts.css"))).encode()


def _png_renderer() -> Callable[[Chart], bytes]:
    try:
        import resvg_py
    except ImportError as err:
        raise UserError(
            "plots as PNG need resvg-py: install evograft with its extra [report], or write SVG: --plot-format svg"
        ) from err

    def png(chart: Chart) -> bytes:
        return bytes(resvg_py.svg_to_bytes(svg_string=_svg(chart).decode(), zoom=ZOOM))

    return png
