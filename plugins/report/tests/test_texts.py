"""Every text there is in every language, with the same values, and none is missing or idle."""

import re
import string
from pathlib import Path

import pytest

import evograft_report
from evograft.text.i18n import LANGUAGES, load_catalog, usual_language
from evograft_report.figures.trial_points import Outcome
from evograft_report.page import PACKAGE, get_catalog

REPORT = Path(evograft_report.__file__).parent
CHOSEN = {
    "state": ("running", "complete", "stopped", "idle"),
    "outcome": Outcome.__args__,
    "section": (
        "scores",
        "best",
        "front",
        "case_front",
        "judgement",
        "operators",
        "islands",
        "lineage",
        "failures",
        "cycling",
        "costs",
        "history",
        "settings",
    ),
    "success": ("operator", "model", "member"),
    "history": ("tell", "stop", "settings"),
}
"""Texts whose keys are put together."""


def values_of(text):
    texts = text.values() if isinstance(text, dict) else [text]
    return [{name for _, name, _, _ in string.Formatter().parse(each) if name} for each in texts]


def used_keys():
    sources = [*REPORT.rglob("*.py"), *REPORT.rglob("*.html")]
    found = {
        key
        for path in sources
        for key in re.findall(r"""["']((?:[a-z]+)\.[a-z_]+)["']""", path.read_text(encoding="utf-8"))
        if key in load_catalog("en", PACKAGE) or re.search(rf"t\(\s*[\"']{key}[\"']", path.read_text(encoding="utf-8"))
    }
    return found | {f"{group}.{name}" for group, names in CHOSEN.items() for name in names}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_all_texts_and_no_others(language):
    assert set(load_catalog(language, PACKAGE)) == used_keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_ask_for_the_same_values_in_every_language(language):
    for key, english in load_catalog("en", PACKAGE).items():
        allowed = set.union(*values_of(english))
        for wanted in values_of(load_catalog(language, PACKAGE)[key]):
            assert wanted <= allowed, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty(language):
    for key, text in load_catalog(language, PACKAGE).items():
        for each in text.values() if isinstance(text, dict) else [text]:
            assert str(each).strip(), key


def test_japanese_texts_are_japanese():
    for key, text in load_catalog("ja", PACKAGE).items():
        assert re.search("[ぁ-んァ-ヶ一-龠…]", str(text)), key


def test_singular_and_plural():
    t = get_catalog("en")
    assert t("head.calls", n=1) == "1 model call"
    assert t("head.calls", n=2) == "2 model calls"
    assert get_catalog("ja")("head.calls", n=1) == "モデル呼び出し 1 回"


def test_an_unknown_text_or_value_is_an_error():
    with pytest.raises(KeyError):
        get_catalog("en")("no.such")
    with pytest.raises(KeyError):
        get_catalog("en")("head.best_trial")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja"}, "ja"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": ""}, "en"),
    ],
)
def test_the_usual_language_is_that_of_the_locale(environment, language):
    assert usual_language(environment) == language
