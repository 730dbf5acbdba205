"""A model in this process that answers at once: programs of three sizes, or a few changed lines.

Programs have 0.5, 2 and 8 kB; lines are changed in the one it is shown.

What it answers depends on the request alone, so that two runs with one seed can be compared.
"""

from __future__ import annotations

import random
import re
import threading
import time
from pathlib import Path

from evograft_hookspecs import LlmAnswer, LlmCall, NoOptions, Price

SIZES = (500, 2000, 8000)
"""Bytes of a program that is written anew, one of these."""

_FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"\b\d+\b")
_VERBS = ("improve", "shift", "merge", "score", "repair", "split", "order", "weigh")
_NOUNS = ("tour", "cluster", "schedule", "border", "bucket", "route", "layer", "window")
_FUNCTIONS = (
    '''
def {verb}_{noun}_{a}({noun}, distance, rng):
    """Exchange two edges of the {noun} where that makes it shorter."""
    best, length = {noun}[:], sum(distance[a][b] for a, b in zip({noun}, {noun}[1:]))
    for step in range(len({noun}) * {b}):
        i, j = sorted(rng.sample(range(1, len({noun}) - 1), 2))
        before = distance[best[i - 1]][best[i]] + distance[best[j]][best[j + 1]]
        after = distance[best[i - 1]][best[j]] + distance[best[i]][best[j + 1]]
        if after < before + {c} / (step + {a}):  # cooling
            best[i : j + 1] = reversed(best[i : j + 1])
            length += after - before
    return best, length
''',
    """
def {verb}_{noun}_{a}(values, limit={b}):
    # Values above the limit are spread over their neighbours.
    {noun} = dict.fromkeys(range({c}), 0.0)
    for place, value in enumerate(values):
        overflow = max(0, value - limit * {a})
        {noun}[place % {c}] += value - overflow
        if overflow > {b} and place + 1 < len(values):
            {noun}[(place + 1) % {c}] += overflow / {a}
    return [{noun}[key] for key in sorted({noun})]
""",
    '''
class {Noun}{a}:
    """A {noun} that remembers its last {b} states."""

    def __init__(self, size: int = {c}) -> None:
        self.size = size
        self.{noun} = [0] * size
        self.history: list[tuple[int, int]] = []

    def {verb}(self, place: int, amount: int) -> bool:
        if not 0 <= place < self.size or abs(amount) > {a}:
            return False
        self.history = [*self.history[-{b}:], (place, self.{noun}[place])]
        self.{noun}[place] += amount
        return self.{noun}[place] <= {c}
''',
)
_MAIN = (
    "def solve(values):\n    total = {a}\n"
    "    for value in values:\n        total += value * {b} % {c}\n    return total\n"
)


class StubModel:
    """Driver `stub`; `seconds` is the CPU time that it took itself, over all threads and instances."""

    Options = NoOptions
    available = True
    patient = False
    default_model = "stub"
    seconds = 0.0
    _turn = threading.Lock()

    def __init__(self, options: NoOptions) -> None:
        self.options = options

    def price(self, model: str) -> Price | None:
        return None

    def open(self, folder: Path) -> None:
        """There is nothing to open."""

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        started = time.thread_time()
        prompt = call.request.messages[-1].content
        rng = random.Random(call.request.digest())
        shown = _FENCE.search(prompt)
        text = edits(shown[1], rng) if shown and "<<<<<<< SEARCH" in prompt else ""
        text = text or f"```python\n{program(rng)}```\n"
        answer = LlmAnswer(model="stub", text=f"A small step, well founded, is worth more than a leap.\n\n{text}")
        with self._turn:
            StubModel.seconds += time.thread_time() - started
        return answer

    def close(self) -> None:
        """Nothing was opened."""


def program(rng: random.Random) -> str:
    """A program of one of the sizes, different every time."""
    parts, size = [_filled(_MAIN, rng)], rng.choice(SIZES)
    while sum(map(len, parts)) < size:
        parts.append(_filled(rng.choice(_FUNCTIONS), rng))
    return "\n".join(parts)


def edits(shown: str, rng: random.Random) -> str:
    """A SEARCH/REPLACE block or two that change numbers of a program."""
    lines = shown.splitlines()
    places = [i for i, line in enumerate(lines) if _NUMBER.search(line) and lines.count(line) == 1]
    chosen = rng.sample(places, min(len(places), rng.choice((1, 2))))
    return "\n".join(_edit(lines[place], rng) for place in chosen)


def _edit(line: str, rng: random.Random) -> str:
    changed = _NUMBER.sub(lambda _: str(rng.randrange(2, 99_999)), line, count=1)
    return f"<<<<<<< SEARCH\n{line}\n=======\n{changed}\n>>>>>>> REPLACE\n"


def _filled(template: str, rng: random.Random) -> str:
    noun = rng.choice(_NOUNS)
    numbers = {name: rng.randrange(2, 99_999) for name in "abc"}
    return template.format(verb=rng.choice(_VERBS), noun=noun, Noun=noun.title(), **numbers)
