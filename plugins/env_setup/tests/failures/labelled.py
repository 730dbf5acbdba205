"""Messages of real tools, labelled with what was wrong: half to make rules from, half put away to judge them by.

Those in `later.yaml` are from issues that were read when the rules were there, those in `threads.yaml` from others, read and
labelled when rules had been made from all that came before, and those in `fresh.yaml` once more after that.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import yaml

from evograft_env_setup.failures import CommandFailure, classify, probe

FOLDER = Path(__file__).with_name("messages")
HALVES = ("rules", "away")
LATER = "later"
THREADS = "threads"
FRESH = "fresh"
FILES = (*sorted(FOLDER.glob("*.yaml")), *(Path(__file__).with_name(f"{name}.yaml") for name in (THREADS, FRESH)))


@dataclass(frozen=True)
class Answer:
    """What the tool printed when it was asked to say more."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Message:
    id: str
    tool: str
    error_class: str
    kind: str
    command: str
    exit_code: int
    stdout: str
    stderr: str
    source: str
    answer: Answer | None

    @property
    def part(self) -> str:
        """One of the halves, or the messages that came later."""
        return self.tool if self.tool in (LATER, THREADS, FRESH) else HALVES[sha256(self.id.encode()).digest()[0] % 2]

    def told(self) -> CommandFailure:
        """What the rules make of it, with the question asked that they leave open."""
        failure = classify(self.command, self.exit_code, self.stdout, self.stderr)
        answer = self.answer
        return probe(failure, self.command, lambda _: answer) if answer else failure


def load() -> tuple[Message, ...]:
    return tuple(
        _message(file.stem, entry)
        for file in FILES
        for entry in yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    )


def _message(tool: str, entry: dict) -> Message:
    answer = entry.pop("answer", None)
    error_class = entry.pop("class")
    return Message(tool=tool, error_class=error_class, answer=Answer(**answer) if answer else None, **entry)


def accuracy(messages: tuple[Message, ...], attribute: str, group: str) -> dict[str, tuple[int, int]]:
    """By class or kind of the labels: how many messages there are, and of how many the rules say the same."""
    rows: dict[str, tuple[int, int]] = {}
    for message in messages:
        total, right = rows.get(label := getattr(message, group), (0, 0))
        rows[label] = total + 1, right + (getattr(message.told(), attribute) == getattr(message, attribute))
    return rows


def confusion(messages: tuple[Message, ...]) -> dict[tuple[str, str], int]:
    """How many messages of a class are told to be of which."""
    counts: dict[tuple[str, str], int] = {}
    for message in messages:
        pair = message.error_class, message.told().error_class
        counts[pair] = counts.get(pair, 0) + 1
    return counts
