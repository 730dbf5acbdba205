"""Evidence of a failure, fit to be read by rules: bounded, without control sequences.

The text is whatever a stranger's program wrote. No work here grows faster than the text, and its length is bounded.
"""

from __future__ import annotations

from functools import cached_property

from evograft_env_setup.failures.expressions import LinearExpression
from evograft_env_setup.failures.invocations import find_invocations

HEAD = 20_000
TAIL = 80_000
"""Characters of a stream that are read from its start and from its end, where tools say what went wrong."""
LONGEST_LINE = 2_000
EXCERPT_LINES = 12
EXCERPT = 2_000

CONTROL = LinearExpression(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]"
)
BLANKS = dict.fromkeys([0xA0, 0x202F, 0x3000, *range(0x2000, 0x200B)], " ")
"""What looks like a blank: pnpm sets narrow ones around its labels."""
WARNING = LinearExpression(
    r"^\s*(?:\[?WARN(?:ING)?\b|\[?[Ww]arning\b|npm (?:warn|WARN)\b|npm http\b|DEPRECATION\b|info\b|W: )"
)


class CommandEvidence:
    """A command, its exit code and what it printed."""

    def __init__(self, command: str, exit_code: int, stdout: str, stderr: str) -> None:
        self._command = command
        self.exit_code = exit_code
        self._lines = [*_lines(stdout), *_lines(stderr)]
        self.whole = "\n".join(self._lines)
        """Both streams, stdout first: Maven and pnpm write their errors to it."""

    @cached_property
    def errors(self) -> str:
        """Both streams without the lines that call themselves warnings: what was tried again may have worked."""
        return "\n".join(line for line in self._lines if not WARNING.found(line))

    @cached_property
    def programs(self) -> frozenset[str]:
        """Return the programs that the command calls.

        A few tools can be told to say nothing, and then only they know their exit codes.
        """
        return frozenset(call.words[0] for call in find_invocations(self._command))

    def excerpt(self, line: str = "") -> str:
        """Return the line with some around it, or the end of the output."""
        ends = len(self._lines)
        if line in self._lines:
            ends = min(ends, len(self._lines) - self._lines[::-1].index(line) + EXCERPT_LINES // 2 - 1)
        return "\n".join(_fit_lines(self._lines[max(0, ends - EXCERPT_LINES) : ends], EXCERPT))


def _fit_lines(lines: list[str], room: int) -> list[str]:
    """Return the lines, the longest ones without their middle, so that with line breaks they fit: none is left out."""
    longest = room
    for done, length in enumerate(sorted(map(len, lines))):
        longest = room // (len(lines) - done) - 1
        if length > longest:
            break
        room -= length + 1
    return [_without_middle(line, longest) for line in lines]


def _without_middle(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    half = (longest - 3) // 2
    return f"{line[:half]} … {line[-half:]}"


def _lines(stream: str) -> list[str]:
    """Return the lines that were to be seen: of a line that was written over and over, its last form."""
    kept = stream if len(stream) <= HEAD + TAIL else f"{stream[:HEAD]}\n[…]\n{stream[-TAIL:]}"
    shown = (
        _without_middle(_last_form(line), LONGEST_LINE) for line in _storable(kept).replace("\r\n", "\n").split("\n")
    )
    return [line for line in shown if line.strip()]


def _last_form(line: str) -> str:
    return CONTROL.without(line.rstrip("\r").rpartition("\r")[2]).translate(BLANKS)


def _storable(text: str) -> str:
    """Replace lone surrogates in the text, which stand for bytes that were not text."""
    return text.encode(errors="replace").decode()
