"""Names for the combinations of a batch: readable, safe as a folder, and each its own."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evograft_batch.plan.batch_file import Settings, format_value

LONGEST_VALUE = 40
LONGEST_NAME = 120
"""File systems allow 255 bytes, and endings are added."""


@dataclass(frozen=True)
class Combination:
    """What sets a run apart from the others of its batch."""

    problem: str
    """Empty where the batch names no problems."""
    settings: Settings
    seed: int | None
    """`None`: the pipeline's own."""


def name_runs(combinations: Sequence[Combination]) -> list[str]:
    """Return a name for each, such as `small_window-4_seed-0`, the same whenever it is asked for."""
    labels = label_combinations({key for each in combinations for key in each.settings})
    readable = ["_".join(_parts(each, labels)) or "run" for each in combinations]
    # Some file systems do not distinguish small letters from capital ones.
    found = Counter(name.casefold() for name in readable)
    return [
        name if found[name.casefold()] == 1 and len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}-{_digest(each)}"
        for name, each in zip(readable, combinations, strict=True)
    ]


def label_combinations(keys: Iterable[str]) -> dict[str, str]:
    """Return the shortest ending of each dotted key that is not another key's ending, too.

    Such as `elites` for `plugins.islands.with.elites`.
    """
    endings = {key: _endings(key) for key in keys}
    found = Counter(itertools.chain.from_iterable(endings.values()))
    return {key: next((end for end in ends if found[end] == 1), key) for key, ends in endings.items()}


def _endings(key: str) -> list[str]:
    """Yield the endings of a dotted key, shortest first."""
    path = key.split(".")
    return [".".join(path[start:]) for start in reversed(range(len(path)))]


def _parts(combination: Combination, labels: dict[str, str]) -> Iterator[str]:
    if combination.problem:
        yield combination.problem
    for key, value in combination.settings.items():
        yield f"{_slug(labels[key])}-{_slug(value)}"
    if combination.seed is not None:
        yield f"seed-{combination.seed}"


def _slug(value: Any) -> str:
    text = value if isinstance(value, str) else format_value(value)
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", text).strip("-.")[:LONGEST_VALUE] or "empty"


def _digest(combination: Combination) -> str:
    text = format_value([combination.problem, combination.settings, combination.seed])
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
