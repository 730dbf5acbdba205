"""A program's tokens without what people write for people: formatting, comments, and the names of locals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from evograft_novelty.tokens.plain import read_plain_tokens

if TYPE_CHECKING:
    from hashlib import _Hash as Hash


LONGEST = 256 * 1024
"""Characters; longer text is taken as text of no known language, so that time is bounded."""

NAMES = {"c++": "cpp", "cpp": "cpp", "python": "python"}
SUFFIXES = {
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".h": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".py": "python",
}


def normalise_tokens(source: str, language: str) -> tuple[str, ...]:
    """Return the token sequence that programs share if they differ in formatting, comments and local names only.

    Args:
        source: the program; it may be broken.
        language: `python` or `cpp`; of any other, only white space is normalised.
    """
    text = normalise_line_ends(source)
    walk = _WALKS.get(NAMES.get(language, ""))
    # The grammars take a null byte for the end of the text.
    if walk is None or len(text) > LONGEST or "\0" in text:
        return read_plain_tokens(text)
    return walk(text.encode(errors="surrogatepass"))


def split_tokens(files: Mapping[str, str], language: str) -> tuple[str, ...]:
    """Return the normalised tokens of all files, by path, for comparing candidates by shingles.

    Args:
        files: path to text. A suffix that says the language counts for more than `language`.
        language: as in `Problem.language`; empty: of none, whatever the suffixes say.
    """
    return tuple(
        token for path in sorted(files) for token in normalise_tokens(files[path], get_language(path, language))
    )


def fingerprint(files: Mapping[str, str], kind: str, language: str) -> str:
    """Return 32 hexadecimal digits, the same for candidates of one kind with the same normalised tokens.

    Args:
        files: path to text, as in `split_tokens`.
        kind: the candidates' kind.
        language: as in `split_tokens`.
    """
    digest = sha256()
    _add(digest, [kind])
    for path in sorted(files):
        _add(digest, [path])
        _add(digest, normalise_tokens(files[path], get_language(path, language)))
    return digest.hexdigest()[:32]


def normalise_line_ends(source: str) -> str:
    """Return the text without a byte order mark, its lines ended as on Unix."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def get_language(path: str, language: str) -> str:
    """Return the language of a file: its suffix counts for more than that of the problem."""
    suffix = PurePosixPath(path).suffix
    return SUFFIXES.get(suffix, "") if suffix and language else language


def _add(digest: Hash, parts: Sequence[str]) -> None:
    """Add tokens with their lengths, so that no two sequences are the same text."""
    told = "".join([f"{len(part)}:{part}" for part in parts])
    digest.update(f"{len(parts)}:{told}".encode(errors="surrogatepass"))


def _python(source: bytes) -> tuple[str, ...]:
    from evograft_novelty.tokens.python import PythonWalk

    return PythonWalk(source).tokens()


def _cpp(source: bytes) -> tuple[str, ...]:
    from evograft_novelty.tokens.cpp import CppWalk

    return CppWalk(source).tokens()


_WALKS: Mapping[str, Callable[[bytes], tuple[str, ...]]] = {"cpp": _cpp, "python": _python}
