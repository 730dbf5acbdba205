"""How often the rules are right about messages of real tools, and that the page says so."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from labelled import FRESH, HALVES, LATER, THREADS, accuracy, load

from evograft_env_setup.failures import classify
from evograft_env_setup.failures.rules import load_rules

PAGE = Path(__file__).parents[4] / "docs" / "env-failures.md"
MESSAGES = load()
PARTS = (*HALVES, LATER, THREADS, FRESH)
CLASSES = ("retryable", "fixable", "fatal")
SILENT = {"py-nospace"}
"""A full disk of which the tool says nothing: no rule on its output can know it."""


def of(part):
    return tuple(message for message in MESSAGES if message.part == part)


def share(counts):
    total, right = (sum(column) for column in zip(*counts.values(), strict=True))
    return right / total


def test_there_are_at_least_120_messages_of_all_tools_in_each_half_and_no_name_is_used_twice():
    assert len({message.id for message in MESSAGES}) == len(MESSAGES)
    tools = {"pip", "uv", "conda", "npm", "yarn", "pnpm", "maven", "gradle", "go", "apt", "git", "docker"}
    for half in HALVES:
        assert len(of(half)) >= 120
        assert tools <= {message.tool for message in of(half)}


@pytest.mark.parametrize("half", PARTS)
def test_95_of_100_messages_are_told_to_be_of_their_class(half):
    assert share(accuracy(of(half), "error_class", "error_class")) >= 0.95


def test_a_fatal_failure_is_known_if_the_tool_says_anything_of_it():
    fatal = [message for message in MESSAGES if message.error_class == "fatal"]
    assert {message.id for message in fatal if message.told().error_class != "fatal"} <= SILENT


def test_nothing_is_called_fatal_that_is_not():
    assert [message.id for message in MESSAGES if message.told().error_class == "fatal" != message.error_class] == []


def test_the_page_shows_the_accuracy_that_is_measured():
    page = PAGE.read_text(encoding="utf-8")
    columns = [accuracy(of(half), "error_class", "error_class") for half in PARTS]
    for name in CLASSES:
        cells = " | ".join(f"{right} of {total}" for total, right in (column[name] for column in columns))
        assert f"| {name} | {cells} |" in page
    for attribute, title in (("error_class", "class, all"), ("kind", "kind, all")):
        shares = " | ".join(f"{share(accuracy(of(half), attribute, 'tool')):.1%}" for half in PARTS)
        assert f"| {title} | {shares} |" in page


def test_the_page_says_how_many_rules_have_known_a_message():
    rules = {rule.id for rule in load_rules().rules}
    plain = (classify(each.command, each.exit_code, each.stdout, each.stderr) for each in MESSAGES)
    known = rules & {failure.rule for failure in plain}
    assert f"Of {len(rules)} rules {len(known)} have known" in PAGE.read_text(encoding="utf-8")


def test_the_page_says_what_the_question_to_pip_is_good_for():
    asked = [each for each in MESSAGES if each.answer and each.told().error_class == each.error_class]
    unasked = [classify(each.command, each.exit_code, each.stdout, each.stderr).error_class for each in asked]
    wrong = sum(told != each.error_class for told, each in zip(unasked, asked, strict=True))
    assert f"Without the question to pip {wrong} classes more would be wrong" in PAGE.read_text(encoding="utf-8")


def test_the_page_lists_all_kinds_with_their_classes():
    page = PAGE.read_text(encoding="utf-8")
    for name, kind in load_rules().kinds.items():
        assert f"| `{name}` | {kind.error_class} |" in page


def test_the_example_of_the_page_prints_what_the_page_shows():
    code, shown = re.findall(
        r"^```(?:python|text)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    with redirect_stdout(StringIO()) as printed:
        exec(code, {})
    assert printed.getvalue() == shown
