"""What the names of numbers say of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

NO_CHOICE = re.compile(
    r"budget|check|clock|deadline|dur|duration|elapsed|eps|epsilon|inf|infinity|infty|mod|modulus|msec|ms|ns|pi|report|safety|sec"
    r"|secs|second|seconds|seed|stop|time|timeout|timer|tle?|tol|tolerance|until|us|version"
)
"""Words in names of what nobody chooses: all of the time is better than less, up to the judge's limit."""
STRUCTURE = re.compile(
    r"area|bits?|board|cells?|cols?|columns?|coords?|coordinates?|dirs?|directions?|down|dx|dy|east|edges?|empty|grid"
    r"|hash|height|id|idx|index|indices|invalid|left|len|length|mask|multiplier|nil|none|noop|north|null|offset|perimeter"
    r"|points?|prime|right|rows?|salt|shift|south|targets?|turns?|unset|unused|up|vert(?:ex|ices)|wall|west"
)
"""Words in names of what others have to agree with, unless the name ends in what weighs them."""
WEIGHTS = re.compile(
    r"bias|bonus|coefs?|coeffs?|coefficients?|exploration|factor|heat|penalty|temps?|temperature|ucb|weights?"
)
"""Words for what may be above 1 as well as below."""
SHARES = re.compile(r"chance|decay|discount|frac|fraction|p|percentile|prob|probability|quantile|rate|ratio|share")
"""Words for what lies between 0 and 1."""
PERCENT = re.compile(r"pct|percent|permille")
"""Words for shares as integers."""
SEARCH = re.compile(
    r"alpha|attempts|beam|beta|branch(?:es|ing)?|candidates?|cands?|chunk|cool|cooling|cutoff|cycles|damping|depth"
    r"|elites?|epochs|expansions?|gamma|generations|gens|greedy|greediness|horizon|intervals?|iters?|iterations?|keep"
    r"|kicks?|lambda|lookahead|margin|moves|mutations?|near|nearest|neighbou?rs?|neigh|nbrs?|noise|particles|passes|patience"
    r"|period|perturbations?|playouts|pool|pop|population|power|radius|reheats?|restarts|rollouts|rounds|ruin|samples"
    r"|sigma|stagnation|stall|starts|steps|strength|sweeps|tabu|tenure|thr|thresh|threshold|top|trials|tries|width"
    r"|window"
)
"""Words for what a search has, or does as often as it likes."""
ESTIMATES = re.compile(r"eval|evaluation|gain|heuristic|key|merit|potential|priority|rating|score|utility|value")
"""Words for what a program estimates: numbers within such a formula weigh its parts."""

AMBIGUOUS = frozenset({"depth", "p", "power", "top", "width"})
"""Words that say nothing on their own."""
BOUNDS = frozenset({"limit", "max", "maximum", "min", "minimum", "n", "nb", "num", "number", "total"})
"""Words that bound or count what stands next to them."""
COUNTED = frozenset({"moves", "rounds", "steps"})
"""What a search does as often as it likes, but may do only so often where the name bounds it."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def split_name(name: str) -> tuple[str, ...]:
    """Return the words of a name such as `START_TEMP` or `startTemp`, in lower case."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def has_word(words: Sequence[str], *kinds: re.Pattern[str]) -> bool:
    return any(kind.fullmatch(word) for kind in kinds for word in words)


def rules_out_choice(words: Sequence[str]) -> bool:
    """Return whether a name says that nobody chose the number."""
    ends_in_weight = has_word(words[-1:], WEIGHTS, SHARES)
    return has_word(words, NO_CHOICE) or (has_word(words, STRUCTURE) and not ends_in_weight)


def says_choice(words: Sequence[str]) -> bool:
    """Return whether a name says that somebody chose the number."""
    silent = (AMBIGUOUS if len(words) == 1 else frozenset()) | (
        COUNTED if not BOUNDS.isdisjoint(words) else frozenset()
    )
    return has_word([word for word in words if word not in silent], WEIGHTS, SHARES, PERCENT, SEARCH)
