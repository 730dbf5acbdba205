"""A program's tokens without what people write for people: formatting, comments, and the names of locals."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from evograft.novelty._plain import plain_tokens


def normalised_tokens(source: str, language: str) -> tuple[str, ...]:
    """The token sequence that two programs share if they differ in formatting, comments and local names only.

    Args:
        source: the program; it may be broken.
        language: `python` or `cpp`; of any other, only white space is normalised.
    """
    del language
    return plain_tokens(source)


def fingerprint(files: Mapping[str, str], kind: str, language: str) -> str:
    """32 hexadecimal digits, the same for candidates of one kind whose files have the same normalised tokens.

    Args:
        files: path to text.
        kind: the candidates' kind.
        language: as in `Problem.language`; empty: of none.
    """
    digest = sha256()
    for part in (
        kind,
        *(part for path in sorted(files) for part in (path, *normalised_tokens(files[path], language), "")),
    ):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(encoded) + encoded)
    return digest.hexdigest()[:32]
