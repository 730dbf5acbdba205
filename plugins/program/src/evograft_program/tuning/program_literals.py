"""A program taken apart at its numbers, and put together again with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from evograft.text.evolve_blocks import MarksBroken, files_to_change, is_marked, take_apart
from evograft_program.task.languages import find_language
from evograft_program.tuning.literals.clocks import is_of_a_clock
from evograft_program.tuning.literals.notation import LiteralNotation
from evograft_program.tuning.literals.placed import PlacedLiteral
from evograft_program.tuning.literals.syntax_tree import read_tree
from evograft_program.tuning.literals.syntaxes import find_syntax
from evograft_program.tuning.literals.token_scan import scan

LONGEST = 256 * 1024
"""Characters; no longer file is looked at, so that time is bounded."""

Shape = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[LiteralNotation, ...]]
"""What programs have in common that differ in their numbers only."""


@dataclass(frozen=True)
class ProgramLiterals:
    """A program and all decimal numbers where it may change."""

    pieces: tuple[tuple[str, tuple[str, ...]], ...]
    """Of each file the path, and the text before, between and behind the numbers."""
    placed: tuple[PlacedLiteral, ...]

    @cached_property
    def values(self) -> tuple[float, ...]:
        return tuple(each.literal.value for each in self.placed)

    @cached_property
    def shape(self) -> Shape:
        return self.pieces, tuple(each.literal.notation for each in self.placed)

    def write(self, values: Mapping[int, float]) -> dict[str, str]:
        """Return the files with other values at some places; the text of all other numbers stays as it is."""
        texts = iter(
            each.literal.notation.write(values[place])
            if values.get(place, each.literal.value) != each.literal.value
            else each.literal.text
            for place, each in enumerate(self.placed)
        )
        return {path: pieces[0] + "".join(next(texts) + piece for piece in pieces[1:]) for path, pieces in self.pieces}


def read_program(files: Mapping[str, str], language: str) -> ProgramLiterals:
    """Take a program apart.

    Args:
        files: path to text, maybe broken; of marks that are broken nobody knows what may change, so nothing is found.
        language: of files whose path does not tell.
    """
    return _read(tuple(files.items()), language)


@lru_cache(maxsize=2048)
def _read(files: tuple[tuple[str, str], ...], language: str) -> ProgramLiterals:
    texts = dict(files)
    open_files = frozenset(files_to_change(texts))
    is_part = is_marked(texts)
    pieces: list[tuple[str, tuple[str, ...]]] = []
    placed: list[PlacedLiteral] = []
    for path, text in files:
        found = _find_literals(path, text, language, is_part=is_part) if path in open_files else []
        pieces.append((path, _split(text, found)))
        placed += found
    return ProgramLiterals(tuple(pieces), tuple(placed))


def _find_literals(path: str, text: str, language: str, *, is_part: bool) -> list[PlacedLiteral]:
    """Return the numbers of a file, or of what is between its marks."""
    if len(text) > LONGEST:
        return []
    syntax, source = find_syntax(find_language(path) or language), text.encode(errors="surrogatepass")
    found = read_tree(source, syntax.grammar) if syntax.grammar else None
    if found is None:
        found = scan(text, syntax)
    found = [replace(each, is_of_a_clock=is_of_a_clock(source, each.start)) for each in found]
    if not is_part:
        return found
    spans = list(_spans_of_blocks(text))
    return [each for each in found if any(start <= each.start and each.end <= end for start, end in spans)]


def _spans_of_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where the text between marks reaches, in bytes."""
    try:
        skeleton = take_apart(text)
    except MarksBroken:
        return
    place = 0
    for outside, inside in zip(skeleton.outside, skeleton.inside, strict=False):
        start = place + len(outside.encode(errors="surrogatepass"))
        place = start + len(inside.encode(errors="surrogatepass"))
        yield start, place


def _split(text: str, found: Sequence[PlacedLiteral]) -> tuple[str, ...]:
    source = text.encode(errors="surrogatepass")
    ends = [0, *(each.end for each in found)]
    starts = [*(each.start for each in found), len(source)]
    return tuple(source[end:start].decode(errors="surrogatepass") for end, start in zip(ends, starts, strict=True))
