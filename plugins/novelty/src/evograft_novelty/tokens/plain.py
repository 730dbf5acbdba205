"""Text of no known language."""

from __future__ import annotations

TAB_STOP = 8


def read_plain_tokens(text: str) -> tuple[str, ...]:
    """Return the words, with line ends, and with indentation where it changes, because it may mean something."""
    tokens: list[str] = []
    open_blocks = [0]
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        column = len(line.expandtabs(TAB_STOP)) - len(line.expandtabs(TAB_STOP).lstrip())
        tokens += _describe_indentation(open_blocks, column)
        tokens += words
        tokens.append("<newline>")
    return tuple(tokens)


def _describe_indentation(open_blocks: list[int], column: int) -> list[str]:
    changes = []
    while column < open_blocks[-1]:
        open_blocks.pop()
        changes.append("<dedent>")
    if column > open_blocks[-1]:
        open_blocks.append(column)
        changes.append("<indent>")
    return changes
