"""What programs import, as they write it."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_code_explainer.languages.parsing import Match, text_of


def imports(matches: Iterable[Match]) -> list[str]:
    """The names of modules and files, each once, in their order; Python's with what is taken from them, as `a.b:c`."""
    return list(dict.fromkeys(name for match in matches for name in _names(match)))


def _names(match: Match) -> list[str]:
    if "from" in match:
        return [f"{text_of(match['from'][0])}:{text_of(match['name'][0])}"]
    return [text_of(node).strip("\"'`") for capture in ("import", "use") for node in match.get(capture, ())]
