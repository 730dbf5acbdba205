"""The text of a model's answer, if it is all there and holds nothing that no program should."""

from __future__ import annotations

import re

from evograft_hookspecs import CandidateRejected, LlmAnswer
from evograft_operators.models.text import one_line

LONGEST_ANSWER = 1_000_000
"""Characters. No honest answer of the usual number of tokens comes near."""
LONGEST_LINE = 100_000

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
IDEA, IDEA_SENTENCES = 700, 2
"""Characters of an idea at most, and sentences."""

_HEADING = re.compile(r"\s*#{1,6}(\s|$)")
"""Of Markdown; `#28` at the beginning of a sentence is a trial."""
_THOUGHT = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)
_PROGRAM = re.compile(r"^\s*(?:```|~~~|<{5,} ?SEARCH|#include\b|\{\s*\"|<tool)", re.MULTILINE)
_SENTENCE = re.compile(r"((?<=[.!?])\s+|(?<=[。！？]))")
_THOUGHTS = ("<think>", "</think>")


def extract_text(answer: LlmAnswer) -> str:
    r"""Return the text of a complete answer, with `\n` as its only line end and without a model's thoughts.

    Raises:
        CandidateRejected: it was cut off or withheld, is empty, or holds what no program should.
    """
    if answer.finish == "filter":
        raise CandidateRejected("the provider withheld the answer (filter): answer with the program alone")
    if answer.finish == "length":
        raise CandidateRejected("the answer was cut off at max_tokens: write a shorter one, without explanations")
    if len(answer.text) > LONGEST_ANSWER:
        raise CandidateRejected(f"the answer has {len(answer.text)} characters, more than {LONGEST_ANSWER}: write less")
    text = _drop_thoughts(answer.text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"))
    if not text.strip():
        raise CandidateRejected("the answer is empty: answer with the program in a fenced code block")
    check_characters(text)
    return text


def extract_idea(text: str) -> str:
    """Return the first sentences of an answer, in front of its program; empty: it has none, or only thoughts."""
    said = _THOUGHT.sub("", text)
    words = _PROGRAM.split(said, maxsplit=1)[0]
    prose = " ".join(line for line in words.splitlines() if not _HEADING.match(line))
    sentences = _SENTENCE.split(one_line(prose, IDEA))
    return "".join(sentences[: 2 * IDEA_SENTENCES]).strip()


def _drop_thoughts(text: str) -> str:
    opening, closing = _THOUGHTS
    if not text.lstrip().startswith(opening):
        return text
    _, closed, rest = text.partition(closing)
    if not closed:
        raise CandidateRejected("the answer ends within the model's thoughts: think less, and give the program")
    return rest


def check_characters(text: str) -> None:
    """Refuse what no file of a program should hold; raise CandidateRejected."""
    control = _CONTROL.search(text)
    if control:
        where = text.count("\n", 0, control.start()) + 1
        raise CandidateRejected(
            f"line {where} of the answer holds the control character U+{ord(control[0]):04X}: write it as an escape"
        )
    try:
        text.encode()
    except UnicodeEncodeError as err:
        raise CandidateRejected(
            f"the answer holds U+{ord(text[err.start]):04X}, which UTF-8 cannot store: write it as an escape"
        ) from err
    longest = max(map(len, text.split("\n")))
    if longest > LONGEST_LINE:
        raise CandidateRejected(f"a line of the answer has {longest} characters, more than {LONGEST_LINE}: break it up")
