"""The reasons of a program's failures, as they are shown: enough to correct it, and nothing of its graphs.

A reason goes to the log and into the next prompt, and a program may raise whatever it likes about its graph.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

LONGEST = 80
_REASON = re.compile(r"(?P<kind>[A-Za-z_]\w*): (?P<text>.*?)(?P<place> \(line (?P<line>\d+)\))?$", re.DOTALL)
_QUOTED = re.compile(r"(?<!\w)'([^']*)(?:'(?!\w)|$)|\"([^\"]*)(?:\"|$)")
_NUMBER = re.compile(r"\d+")
_TYPES = frozenset({"NoneType", "Graph", "NodeView", "EdgeView", "DegreeView", "AtlasView", "function", "ndarray"})


def redact_reason(reason: str, source: str) -> str:
    """Return the reason why one item failed, without data.

    Of an exception that the program raises itself, its text is shown if it is a constant of the source: what has been
    put together from the graph is not. Any other text, which Python or a library has written, is shown in its
    beginning, without numbers, and what it quotes only if the source says it too.
    """
    match = _REASON.match(reason)
    if match is None:  # the sandbox's own words
        return reason
    kind, text, place, line = match.group("kind", "text", "place", "line")
    tree = ast.parse(source)
    if text not in set(_texts(tree)):
        text = "" if line and _is_raised_in(tree, int(line)) else _without_data(text, source)
    return f"{kind}{': ' if text else ''}{_short(text)}{place or ''}"


def _texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


def _is_raised_in(tree: ast.Module, line: int) -> bool:
    """Whether the line belongs to a statement that raises, or to a generator's, at which others can make it raise."""
    return any(
        isinstance(node, (ast.Raise, ast.Assert, ast.Yield, ast.YieldFrom))
        and node.lineno <= line <= (node.end_lineno or node.lineno)
        for node in ast.walk(tree)
    )


def _without_data(text: str, source: str) -> str:
    said = {*re.findall(r"\w+", source), *vars(builtins), *_TYPES}

    def shown(quoted: re.Match[str]) -> str:
        return quoted.group() if (quoted.group(1) or quoted.group(2)) in said else "'…'"

    return _NUMBER.sub("#", _QUOTED.sub(shown, text))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
