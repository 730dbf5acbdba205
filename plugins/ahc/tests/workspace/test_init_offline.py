"""`init` with what the user brings, and of contests to practise on: no network at all."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from python_process import run_evo

from evograft_ahc.settings.model import AhcSettings, get_user_config, load_settings
from evograft_ahc.text.messages import ContestServiceError, ContestUserError
from evograft_ahc.workspace.end_check import require_over
from evograft_ahc.workspace.end_record import ContestEndRecord, save_end_record
from evograft_ahc.workspace.folder import Workspace, find_workspace
from evograft_ahc.workspace.init import initialize_workspace
from evograft_ahc.workspace.inputs import ensure_inputs, read_seeds
from evograft_ahc.workspace.overrides import UserOverrides

pytestmark = pytest.mark.usefixtures("confined")
NOWHERE = "https://localhost:1"
STATEMENT = """# Echo

Time limit: 3 sec / Memory limit: 512 MB

## Input

```
N
```

## Scoring

The higher the score, the better. The sum of the scores of all cases is your score.

- `gen SEEDS_FILE` writes cases.
- `score INPUT OUTPUT` prints the score.

## Sample Input 1

```
100
```
"""
FILES = {
    *(
        ".dockerignore",
        ".gitignore",
        "Dockerfile",
        "Makefile",
        "ahc_config.yaml",
        "docker-compose.yml",
        "results.csv",
        "task.json",
    ),
    *("test.sh", "inputs", "problem", "tools", ".init.lock"),
}


@pytest.fixture
def bring(archive, tmp_path):
    """`bring(kind, …)`: what the user has on disk of a contest that nobody knows."""

    def make(kind="cpp", **others):
        (tmp_path / "statement.md").write_text(STATEMENT)
        tools = archive(kind, built=kind == "cpp")
        given = {"statement": tmp_path / "statement.md", "tools": tools, "contest_is_over": True}
        return UserOverrides(**{**given, **others})

    return make


@pytest.fixture
def made(bring, tmp_path, impatient):
    """`made(brought)`: a workspace, and what was told on the way."""

    def make(brought=None, contest_id="own001", **options):
        told = []
        workspace = initialize_workspace(
            contest_id,
            tmp_path / "workspace",
            brought or bring(),
            site=NOWHERE,
            tell=lambda en, ja: told.append(en),
            **options,
        )
        return workspace, "\n".join(told)

    return make


def command(workspace, *words):
    done = subprocess.run(words, cwd=workspace.folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_workspace_is_made_of_files_alone(made):
    workspace, told = made()
    assert {path.name for path in workspace.folder.iterdir()} == FILES
    assert "can't be read: the connection failed" in told  # the page was asked when the contest ends
    task = workspace.task
    assert (task.title, task.direction, task.score_kind) == ("Echo", "max", "absolute_sum")
    assert (task.time_limit_seconds, task.memory_limit_mb, task.interactive) == (3.0, 512, False)
    assert (task.end, task.end_source) == (None, "stated")
    assert task.scorer.program == "tools/bin/score"
    assert workspace.statement.read_text() == STATEMENT
    assert (workspace.folder / "problem" / "samples" / "1.in").read_text() == "100\n"
    assert (workspace.folder / "problem" / "input_format.txt").read_text() == "```\nN\n```\n"


def test_how_long_a_contest_took_is_told_by_a_saved_page_or_the_user_else_said_to_be_unknown(made, bring, tmp_path):
    workspace, told = made()
    assert workspace.task.format is None
    assert "state it with: --contest-format" in told
    workspace, told = made(bring(format="short"), contest_id="own002")
    assert (workspace.task.format, "--contest-format" in told) == ("short", False)
    saved = tmp_path / "saved.html"
    times = 'var startTime = moment("2020-01-01T00:00:00+09:00"); var endTime = moment("2020-01-05T00:00:00+09:00");'
    saved.write_text(f"<script>{times}</script><main><pre>{STATEMENT}</pre></main>")
    workspace, told = made(bring(statement=saved), contest_id="own003")
    assert (workspace.task.format, "--contest-format" in told) == ("long", False)


def test_it_has_as_many_inputs_as_the_official_list_and_more_on_demand(made):
    workspace, _ = made()
    assert workspace.cases() == ("0000", "0001", "0002", "0003", "0004")
    assert ensure_inputs(workspace, 7) == tuple(f"{number:04}" for number in range(7))
    assert [workspace.input(case).read_text() for case in workspace.cases()] == [f"{100 + n}\n" for n in range(7)]


def test_seeds_beyond_the_official_list_are_new_ones(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.tools.mkdir()
    (workspace.tools / "seeds.txt").write_text("7\n3\n")
    assert read_seeds(workspace, 5) == ("7", "3", "2", "4", "5")


def test_inputs_that_came_with_the_tools_need_no_generator(made, bring, tmp_path):
    workspace, _ = made()
    workspace.input("0001").unlink()
    (workspace.tools / "in").mkdir()
    (workspace.tools / "in" / "0001.txt").write_text("official\n")
    (workspace.tools / "bin" / "gen").unlink()
    ensure_inputs(workspace, 5)
    assert workspace.input("0001").read_text() == "official\n"


def test_a_generator_that_fails_is_told_with_where_to_mend_it(made):
    workspace, _ = made()
    (workspace.tools / "bin" / "gen").write_text("#!/bin/sh\necho no such seed >&2\nexit 3\n")
    with pytest.raises(
        ContestServiceError, match=r"generator 'tools/bin/gen' failed: no such seed; its call stands in task.json"
    ):
        ensure_inputs(workspace, 6)
    (workspace.tools / "bin" / "gen").write_text("#!/bin/sh\n")
    with pytest.raises(ContestServiceError, match=r"made no 'in/0000.txt'"):
        ensure_inputs(workspace, 6)


def test_a_second_init_completes_the_first_and_keeps_what_is_there(made, bring):
    workspace, _ = made()
    workspace.config.write_text("mine")
    workspace.input("0002").write_text("mine")
    (workspace.folder / "test.sh").unlink()
    workspace.input("0003").unlink()
    again, told = made()
    assert again.config.read_text() == again.input("0002").read_text() == "mine"
    assert (again.folder / "test.sh").exists()
    assert again.input("0003").read_text() == "103\n"
    assert "building" not in told
    assert told.count("kept: ") == 2  # the statement and the tools that were brought once more


def test_the_settings_of_a_workspace_are_the_usual_ones(made):
    workspace, _ = made(language="ja")
    settings = load_settings(workspace)
    assert settings.values.model_dump() == AhcSettings(language="ja").model_dump()
    assert settings.get("llm.model").source == str(workspace.config)
    text = workspace.config.read_text()
    assert "# time_limit_seconds: 7200" in text
    workspace.config.write_text(re.sub(r"(?m)^  # (\w*prompts:|  -)", r"  \1", text))
    assert len(load_settings(workspace).values.evolution.mutation_prompts) == 1
    assert len(load_settings(workspace).values.evolution.crossover_prompts) == 1


def test_what_the_user_has_set_for_all_workspaces_is_left_to_that(made):
    get_user_config().parent.mkdir(parents=True, exist_ok=True)
    get_user_config().write_text("llm: {model: mine}\nalgorithm_library: {path: blocks}\n")
    workspace, _ = made()
    settings = load_settings(workspace)
    assert settings.get("llm.model").value == "mine"
    assert settings.get("algorithm_library.path").value == "blocks"
    assert settings.get("llm.provider").source == str(workspace.config)
    assert '  # model: "gpt-4o"' in workspace.config.read_text()


def test_programs_are_found_where_the_specification_puts_them(made):
    workspace, _ = made()
    assert os.access(workspace.tools / "tester" / "score", os.X_OK)
    assert (workspace.tools / "tester" / "score").samefile(workspace.tools / "bin" / "score")


def test_the_scripts_of_a_workspace_work_without_evo(made):
    workspace, _ = made()
    workspace.start_program.write_text(
        '#include <cstdio>\nint main() { long n; scanf("%ld", &n); printf("%ld", n - 1); }'
    )
    said = command(workspace, "./test.sh", "start.cpp", "0000", "0002")
    assert said == "0000 Score = 99\n0002 Score = 101\ntotal 200 over 2 cases\n"
    assert command(workspace, "make", "-s", "test").endswith("total 505 over 5 cases\n")


@pytest.mark.parametrize(
    ("text", "given", "reason"),
    [
        (STATEMENT.replace("The higher the score, the better.", ""), {}, "--direction max|min"),
        (STATEMENT.replace("sum of the scores of all cases", "usual"), {}, "--score-kind absolute_sum"),
        (STATEMENT.replace("Time limit: 3 sec", ""), {}, "--case-time-limit SECONDS"),
        (" \n", {}, "it holds no text"),
    ],
)
def test_what_a_statement_does_not_say_is_asked_for(made, bring, text, given, reason):
    brought = bring(**given)
    brought.statement.write_text(text)
    with pytest.raises(ContestUserError, match=reason.replace("|", r"\|")):
        made(brought)


def test_what_is_not_known_is_asked_for_before_the_tools_are_unpacked_and_built(made, bring, tmp_path):
    brought = bring()
    brought.statement.write_text(STATEMENT.replace("Time limit: 3 sec", ""))
    with pytest.raises(ContestUserError, match="--case-time-limit SECONDS"):
        made(brought)
    assert not (tmp_path / "workspace" / "own001" / "tools").exists()


def test_a_statement_may_underline_its_headings_and_begin_with_a_section(made, bring):
    brought = bring()
    text = re.sub(r"^## (.+)$", lambda hit: f"{hit[1]}\n{'-' * len(hit[1])}", STATEMENT, flags=re.MULTILINE)
    brought.statement.write_text(text.replace("# Echo", "Story\n====="))
    workspace, _ = made(brought)
    assert (workspace.task.title, workspace.task.direction) == ("own001", "max")
    assert (workspace.folder / "problem" / "samples" / "1.in").read_text() == "100\n"


def test_what_the_user_states_wins_over_the_statement(made, bring):
    workspace, _ = made(bring(direction="min", score_kind="relative", time_limit_seconds=5.0))
    task = workspace.task
    assert (task.direction, task.score_kind, task.time_limit_seconds) == ("min", "relative", 5.0)


def test_a_saved_page_of_a_contest_that_is_on_gives_a_workspace_for_a_person_whatever_is_stated(made, bring, tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<script>var endTime = moment("2999-01-01T19:00:00+09:00");</script><p>maximize</p>')
    workspace, told = made(bring(statement=page, direction="max", score_kind="absolute_sum", time_limit_seconds=2.0))
    assert "'own001' is on until 2999-01-01 19:00 Japan time" in told
    with pytest.raises(ContestUserError, match="'own001' ends at 2999-01-01 19:00 Japan time"):
        require_over(workspace)


@pytest.fixture
def live(made, bring, tmp_path):
    """A workspace whose end, far ahead, is known from nothing but a saved page."""
    page = tmp_path / "page.html"
    page.write_text('<script>var endTime = moment("2999-01-01T19:00:00+09:00");</script><p>maximize</p>')
    facts = {"direction": "max", "score_kind": "absolute_sum", "time_limit_seconds": 2.0}
    return made(bring(statement=page, contest_is_over=False, **facts))[0]


def forget_ends(private_home):
    """As on another machine."""
    shutil.rmtree(next(private_home.rglob("ahc/ends")))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_an_end_that_a_saved_page_told_is_overridden_by_no_later_init(made, live, private_home, elsewhere):
    if elsewhere:
        forget_ends(private_home)
    again, told = made(UserOverrides(contest_is_over=True))
    assert "'own001' is on until 2999-01-01 19:00 Japan time" in told
    assert (again.task.end, again.task.end_source) == (live.task.end, "ongoing")
    assert (again.folder / "CONTEST_IS_ON.txt").exists()
    with pytest.raises(ContestUserError, match="'own001' ends at 2999-01-01 19:00 Japan time"):
        require_over(again)


def test_an_end_that_a_saved_page_told_holds_for_a_workspace_that_is_made_anew(made, bring, live):
    shutil.rmtree(live.folder)
    again, told = made(bring())
    assert "'own001' is on until 2999-01-01 19:00 Japan time" in told
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(again)


def test_a_live_workspace_under_the_id_of_a_past_contest_stays_closed(made, live):
    renamed = live.folder.with_name("ahc030")
    task = live.task.model_copy(update={"contest_id": "ahc030"})
    live.folder.rename(renamed)
    (renamed / "task.json").write_text(task.model_dump_json())
    again, told = made(UserOverrides(contest_is_over=True), "ahc030")
    assert "'ahc030' is on until 2999-01-01 19:00 Japan time" in told
    with pytest.raises(ContestUserError, match="'own001' ends at 2999-01-01 19:00 Japan time"):
        require_over(again)


def claimed_over(workspace):
    """Its file edited, as by somebody who wants it to be of a past contest."""
    over = {"contest_id": "ahc030", "end": datetime(2024, 2, 11, tzinfo=UTC), "end_source": "data"}
    (workspace.folder / "task.json").write_text(workspace.task.model_copy(update=over).model_dump_json())
    return Workspace(workspace.folder)


@pytest.mark.parametrize("kept", ["statement", "sources", "programs"])
def test_what_a_live_workspace_holds_is_known_again_whatever_its_file_says(made, live, kept):
    renamed = live.folder.with_name("ahc030")
    live.folder.rename(renamed)
    claimed = claimed_over(Workspace(renamed))
    if kept != "statement":
        for statement in claimed.statement.parent.glob("*.md"):
            statement.write_text("in other words")
    if kept != "sources":
        (claimed.tools / "src" / "score.cpp").write_text("// in other words")
    if kept != "programs":
        for program in (claimed.tools / "bin").iterdir():
            program.write_text("built otherwise")
    again, told = made(UserOverrides(contest_is_over=True), "ahc030")
    assert "'ahc030' is on until 2999-01-01 19:00 Japan time" in told
    assert (again.folder / "CONTEST_IS_ON.txt").exists()
    assert again.task.end_source == "ongoing"
    save_end_record(claimed_over(again), ContestEndRecord(contests=("ahc030",), source="data"))
    with pytest.raises(ContestUserError, match=r"ends at 2999-01-01 19:00 Japan time"):
        require_over(Workspace(again.folder))


@pytest.mark.usefixtures("live")
def test_the_page_of_a_contest_that_is_on_makes_no_workspace_of_another_one(made, bring, tmp_path):
    page = tmp_path / "page.html"
    without_end = {"direction": "max", "score_kind": "absolute_sum", "time_limit_seconds": 2.0}
    _, told = made(bring(statement=page.rename(tmp_path / "page.md"), **without_end), "ahc030")
    assert "'ahc030' is on until 2999-01-01 19:00 Japan time" in told


def test_a_saved_page_closes_a_workspace_that_was_open(made, bring, tmp_path):
    workspace, _ = made()
    require_over(workspace)
    page = tmp_path / "page.html"
    page.write_text('<script>var endTime = moment("2999-01-01T19:00:00+09:00");</script><p>maximize</p>')
    for brought in (bring(statement=page), UserOverrides(contest_is_over=True)):
        with pytest.raises(ContestUserError, match="'own001' ends at 2999-01-01 19:00 Japan time"):
            made(brought)
    with pytest.raises(ContestUserError, match="rules forbid"):
        require_over(Workspace(workspace.folder))


def test_nothing_is_written_where_the_contest_is_not_known_to_be_over(made, bring, tmp_path):
    with pytest.raises(ContestUserError, match="nobody knows when contest 'own001' ends"):
        made(bring(contest_is_over=False))
    assert not (tmp_path / "workspace").exists()


@pytest.mark.parametrize("contest_id", ["../ahc001", "ahc 1", "", "a/b", "-x", "a" * 200])
def test_what_is_no_contest_id_is_refused(tmp_path, contest_id):
    with pytest.raises(ContestUserError, match="is no contest id"):
        initialize_workspace(contest_id, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_statement_as_pdf_is_read_as_text(made, bring, tmp_path):
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(tmp_path / "empty.pdf")
    with pytest.raises(ContestUserError, match="it holds no text"):
        made(bring(statement=tmp_path / "empty.pdf"))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nonsense")
    with pytest.raises(ContestUserError, match="no PDF that can be read"):
        made(bring(statement=tmp_path / "broken.pdf"))


def test_one_that_cannot_be_built_is_told_and_the_others_are_used(made, bring, archive, tmp_path):
    with zipfile.ZipFile(archive("cpp"), "a") as packed:
        packed.writestr("tools/src/vis.cpp", "#include <no_such_header>\n")
    brought = UserOverrides(tmp_path / "statement.md", tmp_path / "cpp.zip", contest_is_over=True)
    (tmp_path / "statement.md").write_text(STATEMENT)
    workspace, told = made(brought)
    assert "not built: vis: " in told
    assert "no_such_header" in told
    assert workspace.task.visualizer is None


def test_where_nothing_can_be_built_each_reason_is_told_and_what_to_do(impatient, tmp_path):
    with zipfile.ZipFile(tmp_path / "broken.zip", "w") as packed:
        for name in ("gen", "score"):
            packed.writestr(f"tools/src/{name}.cpp", f"#include <no_header_of_{name}>\n")
    (tmp_path / "statement.md").write_text(STATEMENT)
    reasons = []
    with pytest.raises(
        ContestUserError, match=r"judge, score or vis, was not built; put the program into '.*/tools/bin'"
    ):
        initialize_workspace(
            "own001",
            tmp_path / "workspace",
            UserOverrides(tmp_path / "statement.md", tmp_path / "broken.zip", contest_is_over=True),
            site=NOWHERE,
            tell=lambda en, ja: reasons.append(en),
        )
    for name in ("gen", "score"):
        assert any(f"not built: {name}: " in each and "fatal error" in each for each in reasons), reasons


def test_a_contest_to_practise_on_is_a_workspace_like_any_other(practised, tmp_path):
    workspace = Workspace(shutil.copytree(practised.workspace.folder, tmp_path / "practice001", symlinks=True))
    assert {path.name for path in workspace.folder.iterdir()} == FILES | {"start.cpp"}
    assert len(workspace.cases()) == 100
    assert "実行時間制限" in workspace.statement.read_text()
    assert find_workspace(workspace.inputs) == workspace
    assert workspace.task.end_source == "practice"
    said = command(workspace, "make", "-s", "vis", "CASE=0003")
    first, total, drawn = said.splitlines()
    assert first.removeprefix("0003 ") == drawn
    assert total == f"total {drawn.removeprefix('Score = ')} over 1 cases"
    assert (workspace.folder / "build" / "vis.html").exists()


@pytest.mark.long
def test_an_interactive_one_is_as_well(tmp_path):
    workspace = initialize_workspace("practice002", tmp_path)
    assert workspace.task.scorer.program == "tools/bin/tester"
    assert command(workspace, "./test.sh", "start.cpp", "0003", "0004").endswith("over 2 cases\n")
    assert (workspace.statement.parent / "input_format.txt").read_text().strip()


@pytest.mark.slow
def test_tools_in_rust_are_built_one_by_one(made, bring, rust):
    workspace, told = made(bring("rust"))
    assert "not built: needs_headers: error" in told
    assert workspace.cases()[-1] == "0004"
    assert workspace.task.scorer.program == "tools/bin/vis"
    assert sorted(path.name for path in (workspace.tools / "bin").iterdir()) == ["gen", "vis"]


def test_crates_that_cannot_be_fetched_are_told(made, bring, rust, monkeypatch):
    brought = bring("rust")
    with zipfile.ZipFile(brought.tools) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    files["tools/Cargo.toml"] += b'[dependencies]\nrand = "0.8"\n'
    with zipfile.ZipFile(brought.tools, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    with pytest.raises(ContestServiceError, match=r"cargo can't get what the contest's tools depend on: error.*rand"):
        made(brought)


def test_tools_that_were_built_by_hand_are_taken(made, bring, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(
        ContestServiceError, match=r"there is no cargo: install it, or run docker run .* cargo build --release"
    ):
        made(bring("rust"))
    release = tmp_path / "workspace" / "own001" / "tools" / "target" / "release"
    release.mkdir(parents=True)
    (release / "vis").write_text("#!/bin/sh\necho Score = 1\n")
    (release / "gen").write_text("#!/bin/sh\nmkdir in; for n in 0 1 2 3 4; do echo $n > in/000$n.txt; done\n")
    (release / "needs_headers").touch()
    workspace, told = made(bring("rust"))
    assert "building" not in told
    assert workspace.input("0004").read_text() == "4\n"


def evo(*words, **environment):
    done = run_evo("ahc", "init", *words, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def test_the_command_says_what_was_made(practised, tmp_path):
    shutil.copytree(practised.workspace.folder, tmp_path / "practice001", symlinks=True)
    status, said, problems = evo("practice001", "--workspace-root", tmp_path, "--json")
    assert (status, problems) == (0, "making inputs\n")
    made = json.loads(said)
    assert made["folder"] == str(tmp_path / "practice001")
    assert (made["cases"], made["task"]["title"]) == (100, "Porters")
    status, said, problems = evo("practice001", "--workspace-root", tmp_path, "--language", "ja")
    assert (status, problems) == (0, "")
    assert said.splitlines()[-1].startswith("準備完了: ")


def test_a_mistake_is_one_line_in_the_users_language(tmp_path):
    refused = evo("a b", "--workspace-root", tmp_path)
    assert refused[:2] == (2, "")
    assert refused[2].startswith("Error: 'a b' is no contest id")
    assert "ID ではありません" in evo("a b", "--workspace-root", tmp_path, "--language", "ja")[2]
    missing = evo("ahc001", "--workspace-root", tmp_path, "--tools", tmp_path / "none.zip")
    assert missing == (2, "", f"Error: --tools: there is no file '{tmp_path / 'none.zip'}'\n")
    assert not list(Path(tmp_path).iterdir())
