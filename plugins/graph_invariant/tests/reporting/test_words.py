"""Every text there is in every language, with the same values, and none is missing or idle."""

import re
import string
from pathlib import Path

import pytest

from evograft.text.i18n import LANGUAGES, load_catalog
from evograft_graph_invariant import reporting
from evograft_graph_invariant.reporting.sections.search import FALLBACKS
from evograft_graph_invariant.reporting.wording import PACKAGE, SETS

CHOSEN = {
    "verdict": ("success", "phase_two", "strict"),
    "novelty": ("which", "bonus", "nearest", "rho", "interval", "new", "plain", "given_target"),
    "sets": ("set", "graphs", "answered", "rho", "interval", "pearson", "rmse", "mae", "median_error"),
    "named": ("graph", "nodes", "true", "predicted", "error"),
    "residuals": ("set", "family", "graphs", "median", "quarters", "ends", "rmse"),
    "elites": ("simplicity", "novelty", "best", "trial", "count", "plain", "given_target"),
    "fallbacks": FALLBACKS,
    "attribution": (
        *("operator_title", "model_title", "trials", "accepted"),
        *("new_bests", "best", "calls", "tokens", "dollars"),
    ),
}
"""Texts whose keys are put together."""


def values_of(text):
    texts = text.values() if isinstance(text, dict) else [text]
    return set().union(*({name for _, name, _, _ in string.Formatter().parse(each) if name} for each in texts))


def used_keys():
    sources = [path for ending in ("py", "html") for path in Path(reporting.__file__).parent.rglob(f"*.{ending}")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    named = {key for text in texts for key in re.findall(r"""["']([a-z]+\.[a-z_]+)["']""", text)}
    files = {key for key in named if key.endswith((".html", ".css", ".md", ".jsonl", ".py"))}
    return named - files | SETS | {f"{group}.{name}" for group, names in CHOSEN.items() for name in names}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_all_texts_and_no_others(language):
    assert set(load_catalog(language, PACKAGE)) == used_keys()


def test_texts_ask_for_the_same_values_in_every_language():
    for key, english in load_catalog("en", PACKAGE).items():
        assert values_of(load_catalog("ja", PACKAGE)[key]) <= values_of(english) | {"n"}, key


def test_japanese_texts_are_japanese():
    for key, text in load_catalog("ja", PACKAGE).items():
        assert re.search("[ぁ-んァ-ヶ一-龠]", str(text)), key
