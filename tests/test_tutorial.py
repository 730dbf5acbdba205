"""The tutorial's files as printed, installed where a stranger would install them: its commands print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "writing-a-plugin.md").read_text(encoding="utf-8")
FILE = re.compile(r"^```\w+ title=\"([^\"]+)\"\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"\d[\d.,]*(?= ?(?:trials/s|s\b))")
"""Speeds and durations."""

EVALUATOR = "def evaluate(path):\n    return {'combined_score': 1.0}\n"


def shown(heading: str) -> list[tuple[str, list[str]]]:
    """The commands below a heading, each with the lines that the page says it prints."""
    text = PAGE.partition(f"\n## {heading}\n")[2]
    console = CONSOLE.search(text)
    assert console, heading
    found: list[tuple[str, list[str]]] = []
    for line in console[1].splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the page, and an evaluator of something else beside them."""
    folder = tmp_path / "coin"
    folder.mkdir()
    for name, content in FILE.findall(PAGE):
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "evaluator.py").write_text(EVALUATOR)
    return folder


def test_the_tutorial_installs_runs_and_prints_what_it_shows(environment, folder):
    environment.install("evograft")
    for command, lines in (*shown("From an empty folder to a run"), *shown("Testing it")):
        printed = environment.run(command, cwd=folder).replace(str(folder), "/home/me/coin")
        plain = [MEASURED.sub("N", line) for line in printed.splitlines()]
        for line in lines:
            assert MEASURED.sub("N", line) in plain, f"{command} printed\n{printed}"
