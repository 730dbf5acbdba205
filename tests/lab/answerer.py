"""Answers the prompts of a run as another program would: `python answerer.py RUN COUNT`; 0: as long as it is let.

It prints a line `NAME WAY` for each answer. The ways take turns: a file, standard input, and an editor that saves in steps.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main(run: str, count: int) -> None:
    ways = itertools.cycle((give_file, give_on_standard_input, save_in_editor))
    given: set[str] = set()
    while not count or len(given) < count:
        for prompt in json.loads(evo("answer", run, "--json")):
            if prompt["name"] not in given and (not count or len(given) < count):
                way = next(ways)
                given.add(prompt["name"])
                # Before it is given: the run may be over, and this process too, straight after.
                print(prompt["name"], way.__name__, flush=True)  # noqa: T201 - what the test reads
                way(run, prompt, answer_to(prompt["text"]))


def answer_to(text: str) -> str:
    """A program that follows from the prompt; now and then none."""
    number = int(hashlib.sha256(text.encode()).hexdigest()[:4], 16)
    if number % 4 == 0:
        return "I'm sorry, I can't do that.\n"
    return f"Another number.\n\n```python\ndef solve(values):\n    return {number}\n```\n"


def give_file(run: str, prompt: dict[str, str], text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.md"
        file.write_text(text)
        evo("answer", run, prompt["name"], "--file", file)


def give_on_standard_input(run: str, prompt: dict[str, str], text: str) -> None:
    evo("answer", run, prompt["name"], "--stdin", text=text)


def save_in_editor(_run: str, prompt: dict[str, str], text: str) -> None:
    """As editors do: a file of the editor's own beside the answer, and the answer empty, then in pieces."""
    path = Path(prompt["answer_path"])
    swap = path.with_name(f".{path.name}.swp")
    swap.write_text(text)
    with path.open("w") as file:
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            file.flush()
            file.write(part)
    swap.unlink()


def evo(*arguments: str | Path, text: str | None = None) -> str:
    command = [sys.executable, "-m", "evograft", *map(str, arguments)]
    return subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
