"""Bytes of files as text, whatever encoding they are in."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from evograft.text.byte_order_mark import find_mark

KANJI_IN = b"\x1b$"
"""Begins Japanese in ISO-2022-JP, whose bytes are all ASCII."""
LEGACY = ["cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1252", "cp1251"]
"""The encodings that are guessed among where a text is not in UTF-8."""
SAMPLE = 8 * 1024
"""Bytes that a guess is made from."""


@dataclass(frozen=True)
class DecodedText:
    text: str
    encoding: str
    """As Python names it. Bytes that it does not know are replacement characters in the text."""

    @property
    def lines(self) -> list[str]:
        """Return the lines as editors number them."""
        lines = [line.removesuffix("\r") for line in self.text.split("\n")]
        return lines[:-1] if lines[-1] == "" else lines


def decode(data: bytes) -> DecodedText:
    """Decode the text of a file, or of its beginning, which may end within a character."""
    if marked := find_mark(data):
        return DecodedText(_decode(marked.data, marked.encoding, "replace"), marked.encoding)
    for encoding in ("iso2022_jp", "utf-8") if KANJI_IN in data else ("utf-8",):
        try:
            return DecodedText(_decode(data, encoding, "strict"), encoding)
        except UnicodeDecodeError:
            continue
    encoding = _guess(data)
    return DecodedText(_decode(data, encoding, "replace"), encoding)


def _decode(data: bytes, encoding: str, errors: str) -> str:
    return codecs.getincrementaldecoder(encoding)(errors).decode(data)


def _guess(data: bytes) -> str:
    """Guess the encoding from where text begins that is not ASCII."""
    from charset_normalizer import from_bytes

    first = next(index for index, byte in enumerate(data) if byte > 0x7F)  # noqa: PLR2004
    sample = data[max(0, first - SAMPLE // 4) : first + SAMPLE]
    best = from_bytes(sample, cp_isolation=LEGACY, steps=3, chunk_size=512).best()
    return best.encoding if best else "utf-8"
