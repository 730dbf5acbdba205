"""What the tools answer: enough, not too much, and how to go on."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_code_explainer.files.text import decode
from evograft_code_explainer.languages.language import LANGUAGES
from evograft_code_explainer.languages.parser import SourceProgram, parse
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.plugin import CodeExplainerPlugin
from evograft_hookspecs import ToolCall


@pytest.fixture
def project(tmp_path):
    for name, text in {
        "README.md": "# A project\n",
        "src/main.py": "import os\n\n\nclass Door:\n    def open(self, key: str) -> bool:\n        return key == os.sep\n",
        "src/deep/er/util.py": "def helper():\n    return 1\n",
        "build/out.py": "built\n",
        ".gitignore": "build/\n*.log\n!kept.log\n",
        "run.log": "ignored\n",
        "kept.log": "kept\n",
        "src/.gitignore": "*.tmp\n!/important.tmp\n",
        "src/a.tmp": "ignored\n",
        "src/important.tmp": "important\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".github/ci.yml": "on: push\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "data").write_bytes(b"ab\0cd")
    return tmp_path


def ask(root, tool, options=None, /, **arguments):
    plugin = CodeExplainerPlugin(CodeExplainerOptions(root=str(root), **(options or {})))
    return plugin.tool_call(ctx=None, call=ToolCall(id="1", tool=tool, arguments=arguments))


def listed(answer):
    return [line.split("  ")[0] for line in answer.content.splitlines() if not line.startswith(("…", "left out", " "))]


# -- list_file --------------------------------------------------------------------------------------------------------


def test_a_listing_leaves_out_what_nobody_wants_and_counts_it(project):
    answer = ask(project, "list_file", recursive=True)
    assert listed(answer) == [
        ".gitignore",
        "README.md",
        "kept.log",
        ".github/ci.yml",
        "src/.gitignore",
        "src/important.tmp",
        "src/main.py",
        "src/deep/er/util.py",
    ]
    assert "left out: 2 binary, 4 ignored" in answer.content
    assert "README.md  12 bytes" in answer.content


def test_a_listing_shows_everything_if_it_is_asked_to(project):
    for answer in (
        ask(project, "list_file", recursive=True, hidden=True),
        ask(project, "list_file", {"hidden": True}, recursive=True),
    ):
        assert {"build/out.py", ".git/HEAD", "logo.png", "data", "src/a.tmp", "run.log"} <= set(listed(answer))
        assert "left out" not in answer.content


def test_a_listing_of_one_folder_shows_its_folders(project):
    assert listed(ask(project, "list_file", path="src")) == [
        "src/.gitignore",
        "src/deep/",
        "src/important.tmp",
        "src/main.py",
    ]


def test_what_is_asked_for_by_name_is_listed_although_it_is_ignored(project):
    assert listed(ask(project, "list_file", path="build")) == ["build/out.py"]


def test_a_long_listing_is_cut_and_says_where_the_rest_is(project):
    for folder in ("many", "many/more", "few"):
        (project / folder).mkdir()
        for number in range(30):
            (project / folder / f"{number:02}.txt").write_text("")
    content = ask(project, "list_file", {"entries": 10}, recursive=True).content
    assert len(listed(ask(project, "list_file", {"entries": 10}, recursive=True))) == 10
    assert "… 88 more; list a subfolder" in content
    assert "  few/: 24" in content
    assert "  many/: 60" in content


def test_of_many_folders_only_some_are_counted_by_themselves(tmp_path):
    (tmp_path / "file.py").write_text("pass\n")
    for folder in range(100):
        (tmp_path / f"{folder:02}").mkdir()
        for number in range(20):
            os.link(tmp_path / "file.py", tmp_path / f"{folder:02}" / f"{number}.py")
    content = ask(tmp_path, "list_file", {"entries": 10}, recursive=True).content
    assert "… 1,991 more; list a subfolder" in content
    assert "  … and 70 more folders" in content


def test_names_that_steer_terminals_are_shown_escaped(project):
    (project / "a\x1b[31mred\nb").write_text("")
    assert r"a\x1b[31mred\x0ab" in ask(project, "list_file").content


def test_folders_as_deep_as_a_file_system_allows_are_no_trouble(tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    assert "1 too deep" in ask(tmp_path, "list_file", recursive=True).content
    assert ask(tmp_path, "search", pattern="x").content == "no matches"


# -- read_file --------------------------------------------------------------------------------------------------------


def test_lines_have_the_numbers_that_editors_give_them(project):
    (project / "odd.txt").write_bytes(b"one\r\ntwo\x0c\xe2\x80\xa8still two\nthree\x1b[2J\n")
    content = ask(project, "read_file", path="odd.txt").content
    assert content.splitlines() == [
        "odd.txt: lines 1 to 3 of 3",
        "    1| one",
        r"    2| two\x0c\u2028still two",
        r"    3| three\x1b[2J",
    ]


def test_a_long_file_comes_in_parts_that_say_how_to_go_on(project):
    lines = [f"line {number}" for number in range(1, 2501)]
    (project / "long.txt").write_text("\n".join(lines) + "\n")
    got, start = [], 1
    while start:
        content = ask(project, "read_file", path="long.txt", start_line=start).content
        got += [line.partition("| ")[2] for line in content.splitlines() if "| " in line]
        last = content.splitlines()[-1]
        start = int(last.rpartition("=")[2]) if last.startswith("…") else 0
    assert got == lines


def test_a_range_of_lines_is_shown(project):
    content = ask(project, "read_file", path="src/main.py", start_line=4, end_line=5).content
    assert content.splitlines()[1:] == [
        "    4| class Door:",
        "    5|     def open(self, key: str) -> bool:",
        "… 1 more lines: go on with start_line=6",
    ]


def test_numbers_may_be_text_as_models_write_them(project):
    assert "    4| class Door:" in ask(project, "read_file", path="src/main.py", start_line="4", end_line="99").content


@pytest.mark.parametrize("wrong", [{"start_line": 99}, {"start_line": 5, "end_line": 2}])
def test_lines_that_are_not_there_are_said_to_be_missing(project, wrong):
    answer = ask(project, "read_file", path="src/main.py", **wrong)
    assert not answer.ok
    assert "the file has 6" in answer.content


@pytest.mark.parametrize("content", ["", "\n", "no end of line"])
def test_small_files_are_read(project, content):
    (project / "small.txt").write_text(content)
    assert ask(project, "read_file", path="small.txt").ok


def test_a_huge_file_and_a_huge_line_are_cut_and_say_so(project):
    (project / "huge.txt").write_text("x" * 50_000 + "\n" + "y\n" * 100_000)
    content = ask(project, "read_file", {"file_bytes": 60_000}, path="huge.txt").content
    assert "(49,000 more characters)" in content
    assert "the file has 250,001 bytes, of which only the beginning can be read" in content
    assert len(content) < 45_000


@pytest.mark.parametrize("path", ["logo.png", "data"])
def test_files_that_are_no_text_are_refused(project, path):
    (project / "logo.png").write_bytes(b"\x89PNG\r\n\0\0\0")
    assert "is no text but" in ask(project, "read_file", path=path).content


JAPANESE = "# 認証のしくみ\n利用者の名前と合言葉を確かめてから、鍵を渡す。失敗したら記録に残す。\n" * 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp932", "euc_jp", "iso2022_jp"])
def test_text_is_read_in_the_encoding_that_it_is_in(project, encoding):
    (project / "text.md").write_bytes(JAPANESE.encode(encoding))
    content = ask(project, "read_file", path="text.md").content
    assert "利用者の名前と合言葉を確かめてから" in content
    if encoding in ("cp932", "euc_jp"):
        assert "read as" in content.splitlines()[0]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_become_text(data):
    decode(data).text.encode(errors="strict")


# -- search -----------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["ripgrep", "python"])
def searching(request, monkeypatch, tmp_path_factory):
    """With ripgrep, and without it."""
    if request.param == "python":
        monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    elif shutil.which("rg") is None:
        pytest.skip("install ripgrep")


@pytest.mark.usefixtures("searching")
class TestSearch:
    def test_matches_are_shown_with_path_and_line(self, project):
        content = ask(project, "search", pattern=r"def \w+\(").content
        assert content.splitlines() == [
            "2 matches",
            "src/main.py:5:     def open(self, key: str) -> bool:",
            "src/deep/er/util.py:1: def helper():",
        ]

    def test_an_escaped_pattern_that_is_not_found_is_said_to_be_taken_as_written(self, project):
        told = ask(project, "search", pattern="List&lt;str&gt;").content
        assert told == "no matches; the pattern is taken as written, &lt; included: to find <, write it so"

    def test_what_is_left_out_of_listings_is_not_searched(self, project):
        assert ask(project, "search", pattern="ignored|built").content == "no matches"
        assert ask(project, "search", pattern="ignored|built", hidden=True).content.startswith("3 matches")
        assert ask(project, "search", pattern="built", path="build").content.startswith("1 match")

    def test_path_glob_and_case_narrow_a_search(self, project):
        assert ask(project, "search", pattern="RETURN").content == "no matches"
        assert ask(project, "search", pattern="RETURN", ignore_case=True).content.startswith("2 matches")
        assert ask(project, "search", pattern="return", path="src/deep").content.startswith("1 match")
        assert ask(project, "search", pattern="return", glob="**/er/*.py").content.startswith("1 match")
        assert ask(project, "search", pattern="return", path="src/main.py").content.startswith("1 match")
        assert ask(project, "search", pattern="return", glob="*.md").content == "no matches"

    @pytest.mark.parametrize("pattern", ["--files", "-e", "$(touch x)", "`id`", "; ls", "\\Q--\\E"])
    def test_patterns_are_never_options_or_commands(self, project, pattern):
        (project / "odd.txt").write_text("--files -e $(touch x) `id` ; ls\n")
        (project / "other.txt").write_text("nothing of that\n")
        answer = ask(project, "search", pattern=pattern.replace("$", r"\$").replace("(", r"\(").replace(")", r"\)"))
        assert "odd.txt:1: " in answer.content
        assert "other.txt" not in answer.content
        assert not (project / "x").exists()

    @pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(.*)*x", r"(a?){100}a{100}b", "a{1,100}{1,9}$"])
    def test_no_pattern_is_too_hard(self, project, pattern):
        (project / "a.txt").write_text(("a" * 5000 + "!\n") * 20)
        answer = ask(project, "search", pattern=pattern, path="a.txt")
        assert answer.content == "no matches" or not answer.ok

    @pytest.mark.parametrize("pattern", ["(", "[", "a**", "(?=x)", r"(x)\1", "", "x" * 2000])
    def test_a_wrong_pattern_is_answered_with_what_is_wrong(self, project, pattern):
        answer = ask(project, "search", pattern=pattern)
        assert not answer.ok
        assert answer.content.startswith("pattern")

    def test_text_is_found_in_any_encoding(self, project):
        for encoding in ("utf-8", "utf-16", "cp932", "euc_jp"):
            (project / f"{encoding}.md").write_bytes(JAPANESE.encode(encoding))
        assert ask(project, "search", pattern="合言葉").content.startswith("12 matches")

    def test_many_matches_are_cut_and_counted(self, project):
        (project / "many.txt").write_text("hit\n" * 300 + "a" * 1000 + "hit" + "b" * 1000)
        content = ask(project, "search", pattern="hit", path="many.txt").content
        assert content.startswith("the first 100 of 301 matches;")
        assert len(content.splitlines()) == 101
        (project / "many.txt").write_text("hit\n" * 5000)
        assert "of more than 1,000 matches" in ask(project, "search", pattern="hit").content

    def test_a_match_far_into_a_line_is_shown(self, project):
        (project / "min.js").write_text("a" * 9000 + "needle" + "b" * 9000)
        content = ask(project, "search", pattern="needle").content
        assert "needle" in content
        assert len(content) < 500

    def test_lines_are_searched_one_by_one(self, project):
        (project / "two.txt").write_bytes(b"one\r\ntwo\r\n\r\nend")
        assert ask(project, "search", pattern=r"one\s+two", path="two.txt").content == "no matches"
        assert ask(project, "search", pattern="^two$").content == "1 match\ntwo.txt:2: two"
        assert ask(project, "search", pattern="^$", path="two.txt").content == "1 match\ntwo.txt:3: "

    @pytest.mark.parametrize("pattern", [r"\bcaf", r"^\w+$", r"[^\w\s]", "(?i)CAFÉ", "caf.$", r"\d{2}"])
    def test_words_and_digits_are_ascii(self, project, pattern):
        (project / "w.txt").write_text("café\nwörd\nxcafé\n日本語\nword\n٣٤\n12\n")
        expected = {
            r"\bcaf": [1], r"^\w+$": [5, 7], r"[^\w\s]": [1, 2, 3, 4, 6], "(?i)CAFÉ": [1, 3], "caf.$": [1, 3], r"\d{2}": [7],
        }  # fmt: skip
        content = ask(project, "search", pattern=pattern, glob="w.txt").content
        assert [int(line.split(":")[1]) for line in content.splitlines()[1:]] == expected[pattern]


def test_a_search_that_takes_too_long_answers_with_what_it_has(project):
    assert "time ran out after 0 files" in ask(project, "search", {"search_seconds": 1e-9}, pattern="def").content


# -- outline ----------------------------------------------------------------------------------------------------------

SOURCES = {
    "Python": "@deco\nclass A(B):\n    async def f(self,\n          x) -> int: # why\n        return 1\n",
    "JavaScript": "export class A {\n  f(x) { return 1 }\n}\nconst g = (y) => y\nfunction h() {}\n",
    "TypeScript": "interface I { x: number }\ntype T = string\nabstract class A { abstract f(x: T): I }\n",
    "TSX": "export function View(props: P): JSX.Element {\n  return <div/>\n}\n",
    "C": "struct point { int x; };\nstatic int add(int a, int b)\n{\n  return a + b;\n}\n",
    "C++": "namespace n {\ntemplate <class T> class A : B {\n  int f() const { return 1; }\n};\n}\n",
    "Java": "record P(int x) {}\npublic class A extends B {\n  A() {}\n  int f(int x) throws E { return 1; }\n}\n",
    "Go": "package p\ntype S struct { x int }\nfunc (s *S) F(y int) int { return y }\n",
    "Rust": "struct S;\nimpl T for S {\n    fn f(&self) -> u8 { 1 }\n}\nmacro_rules! m { () => {} }\n",
    "Ruby": "module M\n  class A < B\n    def f(x)\n      1\n    end\n  end\nend\n",
    "C#": "namespace N {\n  class A : B {\n    public int F(int x) { return 1; }\n  }\n}\n",
    "PHP": "<?php\ninterface I {}\nclass A extends B {\n  function f($x) { return 1; }\n}\n",
}

HEADS = {
    "Python": ["2-5: class A(B):", "3-5:   async def f(self, x) -> int:"],
    "JavaScript": ["1-3: class A", "2-2:   f(x)", "4-4: g = (y) => y", "5-5: function h()"],
    "TypeScript": ["1-1: interface I", "2-2: type T = string", "3-3: abstract class A", "3-3:   abstract f(x: T): I"],
    "TSX": ["1-3: function View(props: P): JSX.Element"],
    "C": ["1-1: struct point", "2-5: static int add(int a, int b)"],
    "C++": ["1-5: namespace n", "2-4:   class A : B", "3-3:     int f() const"],
    "Java": ["1-1: record P(int x)", "2-5: public class A extends B", "3-3:   A()", "4-4:   int f(int x) throws E"],
    "Go": ["2-2: S struct { x int }", "3-3: func (s *S) F(y int) int"],
    "Rust": ["1-1: struct S;", "2-4: impl T for S", "3-3:   fn f(&self) -> u8", "5-5: macro_rules! m { () => {} }"],
    "Ruby": ["1-7: module M", "2-6:   class A < B", "3-5:     def f(x)"],
    "C#": ["1-5: namespace N", "2-4:   class A : B", "3-3:     public int F(int x)"],
    "PHP": ["2-2: interface I", "3-5: class A extends B", "4-4:   function f($x)"],
}


def test_every_language_has_outlines(tmp_path):
    for language in LANGUAGES:
        (tmp_path / f"{language.package}_{language.query}{language.suffixes[0]}").write_text(SOURCES[language.name])
    content = ask(tmp_path, "outline", path=".").content
    for language in LANGUAGES:
        start = content.index(f"{language.package}_{language.query}{language.suffixes[0]} ({language.name}, ")
        lines = content[start:].splitlines()[1 : len(HEADS[language.name]) + 1]
        assert [line.strip() for line in lines] == HEADS[language.name]


def test_an_outline_is_refused_for_what_has_none(project):
    assert "use read_file" in ask(project, "outline", path="README.md").content
    assert "use list_file" in ask(project, "outline", path=".github").content


def test_a_long_outline_is_cut(project):
    (project / "long.py").write_text("def f(): pass\n" * 3000)
    content = ask(project, "outline", path="long.py").content
    assert len(content.splitlines()) <= 1001
    assert content.endswith("… cut here: read the rest of the file with read_file")


def test_a_program_that_its_parser_dies_of_costs_only_itself():
    python, java = LANGUAGES[0], next(each for each in LANGUAGES if each.name == "Java")
    good = SourceProgram("def f(): pass\n", python)
    found = list(parse([good, SourceProgram("a<" * 50_000, java), SourceProgram("(" * 50_000, python), good]))
    assert [each is None for each in found] == [False, True, True, False]


def test_a_parser_that_does_not_start_is_no_fault_of_the_program(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="did not start"):
        list(parse([SourceProgram("pass\n", LANGUAGES[0])]))


def test_a_code_base_cannot_bring_the_modules_that_its_parser_runs(project, monkeypatch):
    for name in ("json", "tree_sitter", "evograft_code_explainer"):
        (project / f"{name}.py").write_text(f"open({str(project / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(project)
    assert "class Door:" in ask(".", "outline", path="src/main.py").content
    assert not (project / "ran").exists()


# -- complete, and all of them ----------------------------------------------------------------------------------------


def test_a_summary_ends_the_task_and_an_empty_one_does_not(project):
    assert ask(project, "complete", summary="# All\n").content == "# All\n"
    assert not ask(project, "complete", summary=" \n").ok


@pytest.mark.parametrize("tool", ["list_file", "read_file", "search", "outline", "complete"])
def test_wrong_arguments_are_answered_with_their_names(project, tool):
    answer = ask(project, tool, path=7, nonsense=True)
    assert not answer.ok
    assert "parameter nonsense" in answer.content


def test_the_schemas_say_everything_and_are_closed():
    for tool in CodeExplainerPlugin.manifest.tools:
        schema = json.loads(tool.model_dump_json())["parameters"]
        assert schema["additionalProperties"] is False
        assert schema["type"] == "object"
        assert len(tool.description) > 40
        for parameter in schema["properties"].values():
            assert set(parameter) <= {
                *("type", "description", "default", "minimum", "examples", "format", "x-rest", "x-descriptions")
            }
            assert parameter["x-descriptions"]["ja"]
            assert len(parameter["description"]) > 15


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["list_file", "read_file", "search", "complete"]),
    st.dictionaries(
        st.sampled_from(["path", "pattern", "recursive", "start_line", "end_line", "glob", "summary", "hidden"]),
        st.one_of(st.text(max_size=20), st.integers(), st.booleans(), st.none(), st.lists(st.integers(), max_size=2)),
    ),
)
def test_no_arguments_raise(tmp_path_factory, tool, arguments):
    root = tmp_path_factory.getbasetemp() / "any"
    root.mkdir(exist_ok=True)
    (root / "a.txt").write_text("text\n")
    assert ask(root, tool, **arguments).content


# -- the page ---------------------------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[4] / "docs" / "explain-tools.md"


def rows_of(heading):
    table = PAGE.read_text(encoding="utf-8").partition(heading)[2].split("\n\n")
    rows = next(block for block in table if block.startswith("|")).splitlines()[2:]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


def test_the_page_lists_the_tools_with_their_parameters():
    offered = {tool.name: list(tool.parameters["properties"]) for tool in CodeExplainerPlugin.manifest.tools}
    assert {row[0].strip("`"): row[1].replace("`", "").split(", ") for row in rows_of("# Tools")} == offered


def test_the_page_lists_the_limits_with_their_defaults():
    limits = {row[0].strip("`"): float(row[1]) for row in rows_of("## How much an answer holds")}
    fields = CodeExplainerOptions.model_fields
    assert limits == {
        name: fields[name].default
        for name in fields
        if isinstance(fields[name].default, int | float) and name != "hidden"
    }


def test_the_page_names_every_language():
    text = PAGE.read_text(encoding="utf-8").partition("## Outlines")[2]
    assert all(language.name in text for language in LANGUAGES)
