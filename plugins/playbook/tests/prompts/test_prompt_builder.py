"""Templates: which one is taken, what is filled in, and what is kept out."""

import os

import pytest

from evograft.errors import UserError
from evograft_playbook.prompts import PromptBuilder, prompt_builder
from evograft_playbook.types import Bullet


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "prompts" / "generator"
    folder.mkdir(parents=True)
    return folder


def build(folder, dataset="appworld", query="the query", contents=()):
    bullets = [Bullet(id=f"shr-{number:05}", section="shr", content=content) for number, content in enumerate(contents)]
    return PromptBuilder(str(folder)).build(query, bullets, dataset)


def test_the_template_of_the_dataset_comes_before_the_default(folder):
    (folder / "appworld.txt").write_text("own: {query}")
    (folder / "default.txt").write_text("default: {query}")
    assert build(folder) == "own: the query"
    assert build(folder, "other") == "default: the query"


def test_the_usual_folder_is_below_the_current_one(folder, tmp_path, monkeypatch):
    (folder / "default.txt").write_text("mine: {query}")
    monkeypatch.chdir(tmp_path)
    assert PromptBuilder().build("q", [], "appworld") == "mine: q"


def test_without_templates_of_ones_own_the_shipped_ones_are_taken(folder):
    assert "with the APIs of apps" in build(folder)
    assert "with the APIs of apps" not in build(folder, "other")
    assert build(folder, "other") == build(folder / "missing", "other")


@pytest.mark.parametrize(
    ("language", "headings"), [("en", ["Knowledge", "Task", "Answer"]), ("ja", ["知識", "タスク", "回答"])]
)
@pytest.mark.parametrize("dataset", ["default", "appworld"])
def test_shipped_templates_have_their_parts_in_order(folder, language, headings, dataset):
    template = PromptBuilder(str(folder), language=language)._load_template(dataset)
    parts = [f"## {headings[0]}", "{context}", f"## {headings[1]}", "{query}", f"## {headings[2]}"]
    places = [template.index(part) for part in parts]
    assert places == sorted(places)
    assert places[0] > 0


def test_without_any_template_there_is_one_in_the_code(folder):
    bullet = Bullet(id="shr-00001", section="shr", content="a")
    prompt = PromptBuilder(str(folder), language="xx").build("the query", [bullet], "d")
    assert prompt == prompt_builder.FALLBACKS["en"].replace("{context}", "a").replace("{query}", "the query")
    assert prompt.template == "the built-in template"


def test_shipped_templates_and_the_one_in_the_code_follow_the_locale(folder, monkeypatch):
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    assert "## 知識" in build(folder)
    monkeypatch.setattr(prompt_builder, "open_shipped_templates", lambda language: {})
    assert "知識:" in build(folder)


@pytest.mark.parametrize("name", ["my set", "C++", "-", "a.b", "東京 (1)", "100%", "~x", "{query}"])
def test_a_template_may_have_any_name_that_stays_in_its_folder(folder, name):
    (folder / f"{name}.txt").write_text("own: {query}")
    prompt = build(folder, name)
    assert prompt == "own: the query"
    assert prompt.template == str(folder / f"{name}.txt")


def test_a_template_for_str_format_is_filled_as_such(folder):
    text = 'Knowledge: {context}\nTask: {query}\nAnswer as {{"answer": "..."}} or {{}}'
    (folder / "default.txt").write_text(text)
    assert build(folder, contents=["a {b}"]) == text.format(context="a {b}", query="the query")


def test_contents_stand_one_per_line(folder):
    (folder / "default.txt").write_text("<{context}>")
    assert build(folder, contents=["a", "b"]) == "<a\nb>"
    assert build(folder) == "<>"


@pytest.mark.parametrize(
    "text", ["{query}", "{context}", "{0}", "{", "}", "{{query}}", "{query!r}", "\\1", "%(query)s"]
)
def test_braces_in_templates_bullets_and_queries_stay_as_they_are(folder, text):
    (folder / "default.txt").write_text('{"json": {}} {{ {other} {context} | {query}')
    assert build(folder, query=text, contents=[text]) == '{"json": {}} {{ {other} ' + f"{text} | {text}"


@pytest.mark.parametrize(
    "dataset",
    [
        "../secret",
        "..",
        ".",
        "",
        "/etc/hostname",
        "a/../../secret",
        "..\\secret",
        "a\0b",
        "x" * 300,
        "\ud800",
        ".hidden",
        "-",
    ],
)
def test_a_name_that_leads_out_of_the_folder_has_no_template(folder, dataset):
    (folder / "default.txt").write_text("default")
    (folder.parent / "secret.txt").write_text("secret")
    (folder / ".hidden.txt").write_text("secret")
    assert build(folder, dataset) == "default"


def test_a_dataset_may_have_a_japanese_name(folder):
    (folder / "数独.v2.txt").write_text("自分の: {query}", encoding="utf-8")
    assert build(folder, "数独.v2") == "自分の: the query"


def test_a_template_that_links_out_of_the_folder_is_refused(folder):
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "appworld.txt").symlink_to(folder.parent / "secret.txt")
    with pytest.raises(UserError, match="leads out of its folder"):
        build(folder)


def test_a_link_within_the_folder_and_a_folder_that_is_a_link_are_fine(folder, tmp_path):
    (folder / "default.txt").write_text("default")
    (folder / "appworld.txt").symlink_to("default.txt")
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert build(link) == "default"


def test_what_is_no_file_is_no_template(folder):
    (folder / "appworld.txt").mkdir()
    os.mkfifo(folder / "default.txt")
    assert "with the APIs of apps" in build(folder)


def test_a_template_that_is_no_text_is_refused(folder):
    (folder / "appworld.txt").write_bytes(b"ok \xff")
    with pytest.raises(UserError, match="is not UTF-8 text: byte 3"):
        build(folder)


def test_a_template_of_any_size_is_refused(folder):
    (folder / "appworld.txt").write_bytes(b"x" * 1_000_001)
    with pytest.raises(UserError, match="larger than 1,000,000 bytes"):
        build(folder)


def test_a_mark_at_the_beginning_of_a_file_is_left_out(folder):
    (folder / "default.txt").write_bytes(b"\xef\xbb\xbfdefault")
    assert build(folder) == "default"
