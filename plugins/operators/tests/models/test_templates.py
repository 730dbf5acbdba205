"""Templates: what they have to hold, how they are filled, which one wins."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_hookspecs import Proposal
from evograft_operators.models.templates import SLOTS, PromptTemplate, TemplateError, load_templates

PARENT = "def f(x):\n    return x\n"
PROMPTS = Path(__file__).parents[2] / "src" / "evograft_operators" / "prompts"
values = st.text(st.sampled_from("ab{}\\$%\n \r"), max_size=20) | st.sampled_from(["{{one}}", "{{two}}", "{0}", "\\1"])


def errors(language="en", folder=""):
    with pytest.raises(TemplateError) as caught:
        load_templates(language, str(folder))
    return "\n".join(caught.value.errors)


def write(folder, **texts):
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name.replace('__', '/')}.md").write_text(text, encoding="utf-8")
    return folder


@settings(deadline=None)
@given(values, values)
def test_values_stand_in_the_text_as_they_are(one, two):
    filled = PromptTemplate("<{{one}}> {x} {{ two }}\n\nand <{{one}}>").fill(one=one, two=two)
    assert filled == f"<{one}> {{x}} {two}\n\nand <{one}>"


@settings(deadline=None)
@given(st.lists(values.filter(str.strip), min_size=1, max_size=4))
def test_a_template_is_its_words_and_values_in_turn(given_values):
    names = [f"v{index}" for index in range(len(given_values))]
    template = PromptTemplate("\n\n".join(f"{{{{{name}}}}}" for name in names))
    assert template.fill(**dict(zip(names, given_values, strict=True))) == "\n\n".join(given_values)


def test_a_paragraph_of_nothing_but_empty_placeholders_is_left_out():
    template = PromptTemplate("a\n\n{{one}}\n\nb {{one}}\n\n{{one}} {{two}}\n\nc\n")
    assert template.fill(one="", two="") == "a\n\nb \n\nc"
    assert template.fill(one="", two="x") == "a\n\nb \n\n x\n\nc"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_sets_that_are_shipped_are_whole(language):
    templates = load_templates(language)
    assert all(templates[name].text.strip() for name in SLOTS)


def test_the_languages_have_the_same_placeholders():
    english, japanese = load_templates("en"), load_templates("ja")
    assert {name: english[name].names for name in SLOTS} == {name: japanese[name].names for name in SLOTS}


def test_every_file_that_is_shipped_is_a_template():
    for folder in (PROMPTS, PROMPTS / "ja"):
        found = {
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*.md")
            if folder.name == "ja" or "ja" not in path.parts
        }
        assert found == {f"{name}.md" for name in SLOTS}


# -- the user's own ---------------------------------------------------------------------------------------------------


def test_a_file_of_the_same_name_in_the_users_folder_wins(desk, tmp_path):
    write(tmp_path, rewrite="My own words.\n\n{{statement}}\n\n{{program}}\n\n{{format}}")
    at = desk("```python\ny = 2\n```", prompts=str(tmp_path))
    at.mutate("rewrite", at.trial(0, PARENT))
    assert "My own words.\n\nSort fast." in at.prompt
    assert "Form of the answer" in at.prompt


def test_a_part_can_be_replaced_alone(desk, tmp_path):
    write(tmp_path, parts__whole="Just the code, in {{language}}.")
    at = desk("```python\ny = 2\n```", prompts=str(tmp_path))
    at.mutate("rewrite", at.trial(0, PARENT))
    assert at.prompt.endswith("Just the code, in python.")


def test_the_language_can_be_japanese(desk):
    at = desk("```python\ny = 2\n```", language="ja")
    at.mutate("rewrite", at.trial(0, PARENT))
    assert "# 課題\n\nSort fast." in at.prompt
    assert "Form of the answer" not in at.prompt


def test_the_language_can_be_a_folder_with_a_whole_set(desk, tmp_path):
    for name in SLOTS:
        text = (PROMPTS / f"{name}.md").read_text(encoding="utf-8").replace("Form of the answer", "Form der Antwort")
        write(tmp_path, **{name: text})
    at = desk("```python\ny = 2\n```", language=str(tmp_path))
    at.mutate("rewrite", at.trial(0, PARENT))
    assert "Form der Antwort" in at.prompt
    (tmp_path / "parts" / "advice.md").unlink()
    assert "parts/advice.md is missing" in errors(language=str(tmp_path))


def test_windows_line_ends_and_byte_order_marks_do_no_harm(desk, tmp_path):
    (tmp_path / "fresh.md").write_bytes(
        "\ufeffOwn.\r\n\r\n{{statement}}\r\n\r\n{{skeleton}}\r\n\r\n{{format}}".encode()
    )
    at = desk("```python\ny = 2\n```", prompts=str(tmp_path))
    at.mutate("fresh")
    assert "\nOwn.\n\nSort fast.\n\n#" in at.prompt


def test_a_template_without_a_required_placeholder_is_an_error(tmp_path):
    text = errors(folder=write(tmp_path, diff="{{statement}} {{program}}"))
    assert text == f"{tmp_path}/diff.md: the placeholder {{{{format}}}} is missing"


def test_a_template_with_an_unknown_placeholder_is_an_error(tmp_path):
    text = errors(folder=write(tmp_path, parts__advice="{{entries}} {{Statement}}"))
    assert "parts/advice.md: unknown placeholder {{Statement}}; those it may have: {{entries}}" in text


def test_a_misspelt_template_is_an_error(tmp_path):
    assert "rewite.md: there is no template of that name; did you mean rewrite.md?" in errors(
        folder=write(tmp_path, rewite="x")
    )
    assert "zzz.md: there is no template of that name; the templates are system," in errors(
        folder=write(tmp_path, zzz="x")
    )


def test_a_template_that_is_no_text_is_an_error(tmp_path):
    (tmp_path / "diff.md").write_bytes(b"\xff\xfe\xff")
    assert "diff.md: cannot be read as UTF-8 text" in errors(folder=tmp_path)


def test_a_folder_that_is_missing_is_an_error(tmp_path):
    assert errors(folder=tmp_path / "none") == f"prompts: there is no folder {tmp_path}/none"
    assert errors(language="de").startswith("language (one of en, ja, or a folder): there is no folder")


def test_all_errors_are_reported_at_once_and_keep_the_run_from_starting(desk, tmp_path):
    write(tmp_path, diff="{{statement}} {{program}}", fresh="{{what}}")
    at = desk(prompts=str(tmp_path))
    report = at.plugin.setup_env(at.context())
    assert report.status == "failed"
    assert len(report.errors) == 5


def test_a_start_tells_where_prompts_come_from_where_there_is_a_model(desk, tmp_path):
    at = desk(prompts=str(write(tmp_path, parts__advice="Do:\n{{entries}}")))
    (line,) = at.plugin.setup_env(at.context()).done
    assert line.startswith(f"prompts en, parts/advice from {tmp_path} (")
    assert line != desk().plugin.setup_env(at.context()).done[0]
    whole = desk(prompts=str(PROMPTS / "ja"))
    assert f"prompts en, {len(SLOTS)} templates from {PROMPTS}" in whole.plugin.setup_env(whole.context()).done[0]
    at.model.available = False
    assert at.plugin.setup_env(at.context()) is None


def test_what_a_program_says_is_never_taken_for_a_placeholder(desk):
    program = 'TEXT = "{{statement}} {{program}} {0} {x!r} {"\n'
    at = desk("```python\ny = 2\n```")
    at.mutate("rewrite", at.trial(0, program, feedback="{{advice}}"))
    assert program in at.prompt
    assert "{{advice}}" in at.prompt
    assert at.prompt.count("Sort fast.") == 1


def test_an_empty_system_template_sends_no_system_message(desk, tmp_path):
    at = desk("```python\ny = 2\n```", prompts=str(write(tmp_path, system="")))
    at.mutate("rewrite", at.trial(0, PARENT))
    assert [message.role for message in at.model.requests[0].messages] == ["user"]


def test_templates_are_read_once(desk, tmp_path):
    write(tmp_path, parts__whole="First.")
    at = desk("```python\ny = 2\n```", prompts=str(tmp_path))
    at.plugin.setup_env(at.context())
    write(tmp_path, parts__whole="Second. {{oops}}")
    at.plugin.mutate(at.context(), Proposal(id="a", operator="operators.rewrite"), (at.trial(0, PARENT),))
    assert at.prompt.endswith("First.")
