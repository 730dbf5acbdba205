r"""TeX as statements use it, in plain text: `$1 \leq N \leq 10^{5}$` is `1 <= N <= 10^5`."""

from __future__ import annotations

import re

_AT_MOST = r"\\(?:leqslant|leqq|leq|le)(?![A-Za-z])|≦|≤"
_BELOW = r"\\lt(?![A-Za-z])|&lt;|＜"

SIGNS = re.compile(rf"({_AT_MOST}|{_BELOW}|<=|<|=)")
"""What stands between the terms of a chain of comparisons."""

_SPELLINGS = (
    (_AT_MOST, "<="),
    (_BELOW, "<"),
    (r"\\(?:times|cdot)(?![A-Za-z])|×", "*"),
    # Within preformatted text nothing stands between dots and the name that follows.
    (r"\\(?:ldots|cdots|dots|vdots)|…|⋮", "..."),
    (r"\\(?:mathrm|text|rm|mathit|operatorname)(?![A-Za-z])", ""),
    (r"\\[,;:! ]", " "),
    (r"[{}]", ""),
    (r"\\(?=[A-Za-z])", ""),
)
_PLAIN = [(re.compile(pattern), text) for pattern, text in _SPELLINGS]


def make_plain(formula: str) -> str:
    """Return a formula without TeX, as far as ranges of variables need it."""
    for pattern, text in _PLAIN:
        formula = pattern.sub(text, formula)
    return formula.strip()


def remove_marks(line: str) -> str:
    """Return a line of Markdown as plain text."""
    text = re.sub(r"^\s*(?:[-*+]|\d+\.)\s+|[*`]", "", line)
    return re.sub(r"\$([^$]+)\$", lambda match: make_plain(match[1]), text).strip()
