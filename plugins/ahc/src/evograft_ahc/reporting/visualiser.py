"""The contest's own visualiser, run in a sandbox like all its programs."""

from __future__ import annotations

import re
from contextlib import closing
from xml.etree import ElementTree as ET

from evograft_ahc.contests.task import ToolCommand
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import SandboxCommand, SandboxLimits, SandboxService, SandboxSession

WRITTEN = ("out.svg", "vis.svg", "output.svg", "vis.html", "out.html", "output.html")
"""What visualisers write into the folder they are started in."""
LIMITS = SandboxLimits(cpu_seconds=20, wall_seconds=60, memory_mb=1024, file_mb=64)
LARGEST_DRAWING = 4_000_000
_DRAWING = re.compile(rb"<svg\b.*</svg>", re.DOTALL)
_SPACE = b"http://www.w3.org/2000/svg"


def draw_answer(
    workspace: Workspace, sandbox: SandboxService, case: str, output: bytes, *, image: str = ""
) -> bytes | None:
    """Return what a program printed on a case, as an SVG file.

    `None`: the contest has no visualiser, or it drew nothing.

    Args:
        workspace: of the contest.
        sandbox: what a hook has as `ctx.sandbox`.
        case: its name.
        output: what the program printed.
        image: in which programs run.
    """
    tool = workspace.task.visualizer
    if tool is None or not (file := workspace.program(tool)).is_file():
        return None
    content = workspace.input(case).read_bytes()
    with closing(sandbox.open(image=image)) as session:
        session.write({"visualiser": file.read_bytes(), "input": content, "output": output})
        done = session.run(_command(tool, content))
        drawings = map(extract_svg, (*_left(session), done.stdout))
        return next((drawing for drawing in drawings if drawing is not None), None)


def extract_svg(written: bytes) -> bytes | None:
    """Return the SVG file in an SVG file or a page with one drawing; `None`: there is none that a reader would show.

    Within a page a drawing need not say what it is, nor how it scales; a file has to.
    """
    found = _DRAWING.search(written)
    if found is None or len(found[0]) > LARGEST_DRAWING:
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


def _command(tool: ToolCommand, content: bytes) -> SandboxCommand:
    places = {"{input}": "input", "{output}": "output"}
    return SandboxCommand(
        arguments=("./visualiser", *(places.get(argument, argument) for argument in tool.arguments)),
        stdin=content if tool.stdin == "input" else b"",
        inputs={name: name for name in ("visualiser", "input", "output")},
        outputs={name: f"drawn/{name}" for name in WRITTEN},
        limits=LIMITS,
    )


def _left(session: SandboxSession) -> list[bytes]:
    found = []
    for name in WRITTEN:
        try:
            found.append(session.read(f"drawn/{name}"))
        except FileNotFoundError:
            continue
    return found


def _with(drawing: bytes, attribute: bytes, value: bytes) -> bytes:
    return b'<svg %s="%s"%s' % (attribute, value, drawing.removeprefix(b"<svg"))
