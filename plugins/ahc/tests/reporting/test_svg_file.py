"""Drawings out of what visualisers write."""

import xml.etree.ElementTree as ET

import pytest

from evograft_ahc.reporting.visualiser import LARGEST_DRAWING, extract_svg

SVG = "http://www.w3.org/2000/svg"


@pytest.mark.parametrize(
    "written",
    [
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M0 0"/></svg>',
        '<?xml version="1.0"?>\n<svg width="90px" height="60px" xmlns="http://www.w3.org/2000/svg"><g/></svg>\n',
        '<!DOCTYPE html><html><body><p>Score<br>5<svg width="90" height="60"><rect/></svg></body></html>',
    ],
)
def test_a_drawing_stands_alone_and_scales(written):
    root = ET.fromstring(extract_svg(written.encode()))
    assert (root.tag, root.get("viewBox")) == (f"{{{SVG}}}svg", "0 0 90 60")


def test_a_drawing_that_says_how_it_scales_is_left_as_it_is():
    drawing = f'<svg viewBox="0 0 1 1" width="9" height="9" xmlns="{SVG}"/>'.replace("/>", "></svg>").encode()
    assert extract_svg(drawing) == drawing


@pytest.mark.parametrize(
    "written",
    [
        "",
        "Score = 5",
        "<svg>",
        "<svg><p></svg>",
        "<svg></svg><svg></svg>",
        "<svg>&lol;</svg>",
        "<html><canvas></canvas></html>",
        f"<svg>{' ' * LARGEST_DRAWING}</svg>",
    ],
)
def test_what_no_reader_would_show_is_no_drawing(written):
    assert extract_svg(written.encode()) is None


def test_bytes_of_any_kind_are_no_drawing():
    assert extract_svg(b"\xff\x00<svg>\xff</svg>") is None
