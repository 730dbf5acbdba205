"""The files of a large program that a prompt shows: those that matter, and others in turns."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from evograft.text.evolve_blocks import is_marked


def rank_files(files: Mapping[str, str], *, start: Mapping[str, str], said: str, turn: str) -> list[str]:
    """Return the paths of a program's files, the most relevant first.

    Those that differ from the start program come first, then those with marks, then those that are named in what is
    said. The rest is shuffled, so that other prompts show other files.

    Args:
        files: of the program.
        start: the files of the start program.
        said: the texts of the prompt.
        turn: the seed of the order.
    """
    paths = sorted(files)
    random.Random(turn).shuffle(paths)

    def place(path: str) -> int:
        if files[path] != start.get(path):
            return 0
        if is_marked({path: files[path]}):
            return 1
        return 2 if path in said or PurePosixPath(path).name in said else 3

    return sorted(paths, key=place)


def choose_files(files: Mapping[str, str], ranked: Iterable[str], room: int) -> list[str]:
    """Return the paths of the files that fit into a room in characters, in the program's order; the first one always.

    Args:
        files: of the program.
        ranked: their paths, the most relevant first.
        room: for their texts.
    """
    chosen: set[str] = set()
    left = room
    for path in ranked:
        if not chosen or len(files[path]) <= left:
            chosen.add(path)
            left -= len(files[path])
    return [path for path in files if path in chosen]


def list_sizes(files: Mapping[str, str], but: Sequence[str]) -> list[str]:
    """Return path and size of each file that is not shown."""
    shown = set(but)
    return [f"{path} ({len(text.splitlines())} lines)" for path, text in files.items() if path not in shown]
