"""The drawing in what a visualiser has written."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

LARGEST = 4_000_000
_DRAWING = re.compile(rb"<svg\b.*</svg>", re.DOTALL)
_SPACE = b"http://www.w3.org/2000/svg"


def extract_svg(written: bytes) -> bytes | None:
    """Return the SVG file in an SVG file or a page with one drawing; `None`: there is none that a reader would show.

    Within a page a drawing need not say what it is, nor how it scales; a file has to.
    """
    found = _DRAWING.search(written)
    if found is None or len(found[0]) > LARGEST:
        return None
    drawing = found[0]
    if _SPACE not in drawing.partition(b">")[0]:
        drawing = _with(drawing, b"xmlns", _SPACE)
    try:
        # It begins with its first element, so it has no document type that could define entities.
        root = ET.fromstring(drawing)  # noqa: S314
    except ET.ParseError:
        return None
    width, height = (re.fullmatch(r"([\d.]+)(?:px)?", root.get(side, "")) for side in ("width", "height"))
    if "viewBox" not in root.attrib and width and height:
        drawing = _with(drawing, b"viewBox", f"0 0 {width[1]} {height[1]}".encode())
    return drawing


def _with(drawing: bytes, attribute: bytes, value: bytes) -> bytes:
    return b'<svg %s="%s"%s' % (attribute, value, drawing.removeprefix(b"<svg"))
