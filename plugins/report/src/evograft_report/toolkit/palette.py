"""The colours of page and charts; distinct for people who see colours differently, on light and on dark paper."""

from __future__ import annotations

import re

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f5f7f9",
    "ink": "#1c2229",
    "muted": "#55606c",
    "rule": "#d9dfe5",
    "grid": "#e7ebef",
    "link": "#1d5fa8",
    "best": "#b0003a",
    "ok": "#3b78b8",
    "duplicate": "#9aa5b1",
    "rejected": "#d9730d",
    "pruned": "#b99a00",
    "failed": "#7a3fb0",
    "cycled": "#4f7f8f",
    "added": "#0b6b35",
    "added-paper": "#e3f6e8",
    "added-mark": "#aee5bd",
    "removed": "#9c1c1c",
    "removed-paper": "#fdeaea",
    "removed-mark": "#f6bcbc",
}
DARK = {
    "paper": "#14181d",
    "panel": "#1d232a",
    "ink": "#e4e9ee",
    "muted": "#9fabb7",
    "rule": "#343d47",
    "grid": "#272e36",
    "link": "#7fb4ee",
    "best": "#ff7d9c",
    "ok": "#6aa5e0",
    "duplicate": "#66717d",
    "rejected": "#f0954a",
    "pruned": "#d9bf3f",
    "failed": "#b98be6",
    "cycled": "#74a9ba",
    "added": "#8fdca6",
    "added-paper": "#15301f",
    "added-mark": "#245c38",
    "removed": "#f5a3a3",
    "removed-paper": "#3a1a1c",
    "removed-mark": "#742c30",
}


def variables() -> str:
    """Return CSS that defines the colours, as the reader's system prefers."""
    light, dark = _define(LIGHT), _define(DARK)
    return f":root{{color-scheme:light dark;{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def resolve_variables(css: str) -> str:
    """Return the CSS with colours in place of variables, which not every reader of SVG files knows."""
    return re.sub(r"var\(--([a-z-]+)\)", lambda match: LIGHT[match[1]], css)


def _define(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())
