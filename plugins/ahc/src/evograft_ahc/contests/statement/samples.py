"""Parts of a statement that programs read: samples, and the form of the input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from evograft_ahc.contests.statement.sections import BLOCK, split_sections

SAMPLE = re.compile(
    r"(?P<kind>入力例|出力例|sample input|sample output|input example|output example)\s*(?P<number>\d*)", re.IGNORECASE
)
INPUT = re.compile(r"(入力|入力形式|input|input format|入出力|input and output)", re.IGNORECASE)


def write_samples(markdown: str, folder: Path) -> None:
    """Write `1.in`, `1.out` and so on, and next to the folder `input_format.txt`; existing files stay as they are."""
    files = {f"samples/{name}": text for name, text in find_samples(markdown).items()}
    form = find_input_format(markdown)
    for name, text in (files | {"input_format.txt": form} if form else files).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.write_text(text, encoding="utf-8")


def find_samples(markdown: str) -> Mapping[str, str]:
    """File name to text."""
    found = {}
    for title, body in split_sections(markdown):
        sample, block = SAMPLE.match(title), BLOCK.search(body)
        if sample and block:
            kind = "in" if sample["kind"].lower() in ("入力例", "sample input", "input example") else "out"
            found[f"{sample['number'] or 1}.{kind}"] = block["text"]
    return found


def find_input_format(markdown: str) -> str:
    """Return the section that says how the input is built; empty: there is none."""
    return next((body.strip() + "\n" for title, body in split_sections(markdown) if INPUT.fullmatch(title)), "")
