"""Citations in an answer."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.questions.citations import find_citations, mark_wrong


@pytest.fixture
def files(repository):
    (repository / "Makefile").write_text("all:\n\techo\n")
    (repository / "my notes").mkdir()
    (repository / "my notes" / "設計 1.md").write_text("# 設計\n")
    (repository / "設計.md").write_text("# 設計\n")
    (repository / "@types").mkdir()
    (repository / "@types" / "a-b.d.ts").write_text("x\n" * 12)
    return Repository(CodeExplainerOptions(root=str(repository)))


def found(text, files):
    return [(each.path, each.first, each.last, each.found) for each in find_citations(text, files)]


@pytest.mark.parametrize(
    ("text", "citation"),
    [
        ("app/main.py:5", ("app/main.py", 5, 5, True)),
        ("in app/main.py:4-5.", ("app/main.py", 4, 5, True)),
        ("(see `app/main.py:4–5`)", ("app/main.py", 4, 5, True)),
        ("**app/main.py:L4-L5**", ("app/main.py", 4, 5, True)),
        ("./app/../app/main.py:5:9", ("./app/../app/main.py", 5, 5, True)),
        ("| app/main.py:5|", ("app/main.py", 5, 5, True)),
        ("入口はapp/main.py:4です", ("app/main.py", 4, 4, True)),
        ("参照:app/main.py:4。", ("app/main.py", 4, 4, True)),
        ("設計.md:1", ("設計.md", 1, 1, True)),
        ("Makefile:2", ("Makefile", 2, 2, True)),
        ("`Makefile:3`", ("Makefile", 3, 3, False)),
        ("`my notes/設計 1.md:1`", ("my notes/設計 1.md", 1, 1, True)),
        ("@types/a-b.d.ts:12", ("@types/a-b.d.ts", 12, 12, True)),
        ("app/main.py:0", ("app/main.py", 0, 0, False)),
        ("app/main.py:6", ("app/main.py", 6, 6, False)),
        ("app/main.py:5-4", ("app/main.py", 5, 4, False)),
        ("app/gone.py:1", ("app/gone.py", 1, 1, False)),
        ("gone.rs:1", ("gone.rs", 1, 1, False)),
        ("app/LICENCE:1", ("app/LICENCE", 1, 1, False)),
        ("../repo2/x.py:1", ("../repo2/x.py", 1, 1, False)),
        ("/etc/passwd.conf:1", ("/etc/passwd.conf", 1, 1, False)),
        (".env.json:1", (".env.json", 1, 1, False)),
        ("``app/main.py:5``", ("app/main.py", 5, 5, True)),
        ("~~~\napp/main.py:1\n~~~\napp/main.py:2", ("app/main.py", 2, 2, True)),
    ],
)
def test_a_place_in_a_file_is_a_citation_and_is_looked_up(files, text, citation):
    assert found(text, files) == [citation]


@pytest.mark.parametrize(
    "text",
    [
        "at 12:30",
        "at `12:30`, or 2026-01-02T12:30:45",
        "http://localhost:8080 and https://host.md:80/a.py",
        "ssh://host/a.py:12",
        "localhost:8080",
        "example.com:443",
        "127.0.0.1:53",
        "std::vector:3",
        "TCP/IP:80",
        "a ratio of 16:9",
        "`x = {a.py: 1}`",
        "`run app/main.py:3 now`",
        "```\napp/main.py:3\n```",
        "```py\napp/main.py:3",
        "app/main.py",
        "app/main.py:x",
        "app/main.py:12345678901",
        ":12",
        ".env:1",
    ],
)
def test_times_addresses_and_code_are_no_citations(files, text):
    assert found(text, files) == []


def test_marks_stand_behind_what_was_not_found(files):
    text = "`app/main.py:5` `app/main.py:9`, gone.py:1-2; app/main.py:1"
    assert mark_wrong(text, find_citations(text, files), "(?)") == (
        "`app/main.py:5` `app/main.py:9` (?), gone.py:1-2 (?); app/main.py:1"
    )


PIECES = st.sampled_from(
    ["app/main.py:5", "gone.py:1-2", "`", "``", "```\n", "~~~", "\n", " ", ":", "12:30", "//", "設", "a"]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join))
def test_marks_change_nothing_else_whatever_the_text(repository_of_one_file, text):
    citations = find_citations(text, repository_of_one_file)
    assert mark_wrong(text, citations, "\x00").replace(" \x00", "") == text.replace(" \x00", "")
    for citation in citations:
        assert re.search(r"\d+`*\Z", text[: citation.end].rstrip())


@pytest.fixture(scope="module")
def repository_of_one_file(tmp_path_factory):
    root = tmp_path_factory.mktemp("one")
    (root / "app").mkdir()
    (root / "app" / "main.py").write_text("x\n" * 5)
    return Repository(CodeExplainerOptions(root=str(root)))
