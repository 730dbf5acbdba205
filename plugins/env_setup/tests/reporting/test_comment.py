import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.reporting.comment import FailureComment

FIGURES = {"network_retry_count": 3, "llm_regeneration_count": 2, "error_classification": "fixable (name)"}


def comment(message="it broke", language="en"):
    return FailureComment(environment_name="python", error_message=message, **FIGURES).markdown(language)


def test_the_japanese_comment_has_the_specified_layout():
    lines = comment(language="ja").splitlines()
    assert lines[:5] == ["## 環境構築失敗", "", "**ステータス**: 警告付きで失敗 ⚠", "**環境**: python", ""]
    assert lines[5]
    assert lines[6:17] == [
        "",
        "**エラー詳細**:",
        "```",
        "it broke",
        "```",
        "",
        "**試行した対応**:",
        "- ネットワークリトライ回数: 3",
        "- LLM再生成回数: 2/3",
        "- エラー分類: fixable (name)",
        "",
    ]
    assert len(lines) == 18


def test_the_english_comment_has_the_specified_layout():
    lines = comment().splitlines()
    assert lines[:4] == [
        "## Environment setup failed",
        "",
        "**Status**: failed with a warning ⚠",
        "**Environment**: python",
    ]
    assert lines[7:16] == [
        "**Error details**:",
        "```",
        "it broke",
        "```",
        "",
        "**What was tried**:",
        "- Network retries: 3",
        "- LLM regenerations: 2/3",
        "- Error class: fixable (name)",
    ]


@given(st.text(alphabet="`~a\n"))
def test_no_message_ends_its_fence(message):
    text = comment(message)
    fence = re.search(r"^(`{3,})$", text, re.MULTILINE)[1]
    assert fence not in message
    assert text.count(f"\n{fence}\n") == 2


def test_a_long_message_is_cut_in_the_middle_and_that_is_marked():
    text = comment("first " + "x" * 50_000 + " last")
    assert len(text) < 7_000
    assert "first" in text
    assert "last" in text
    assert re.search(r"\[… \d+ characters left out …\]", text)


@pytest.mark.parametrize("at", [0, 2_990, 3_000, 25_000, 199_990, 900_000])
def test_no_key_is_shown_wherever_it_stands(at):
    key = "ghp_" + "0123456789" * 4
    text = comment(f"{'x ' * (at // 2)}{key}{' y' * 500_000}")
    assert "0123456789" not in text


def test_what_steers_a_terminal_or_hides_text_is_shown():
    text = comment("\x1b[2J \u202e")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_braces_in_a_message_are_only_braces():
    assert "{environment_name}" in comment("{environment_name} {0}")
