"""Programs in several files and in other languages than C++, judged by hand."""

from __future__ import annotations

import json
import os
import pwd
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from evograft.errors import UserError
from evograft_ahc.commands import ahc
from evograft_ahc.judging.program import CompileFailed
from evograft_ahc.search.start_programs import find_start_programs

ECHO = '#!/bin/sh\nread answer < "$2"; echo "Score = $answer" >&2\n'
ADDED = "int added(int n) { return n + ONE; }\n"
MAIN = (
    '#include <cstdio>\n#include "parts/added.hpp"\nint main() { int n; scanf("%d", &n); printf("%d\\n", added(n)); }\n'
)
PYTHON = "print(int(input()) + 1)\n"
RUST = """use std::io::read_to_string;
fn main() { let n: i32 = read_to_string(std::io::stdin()).unwrap().trim().parse().unwrap(); println!("{}", n + 1); }
"""


@pytest.fixture
def workspace(contest, monkeypatch):
    made = contest("10", "20", scorer=ECHO, seconds=2.0)
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def call(judge_of, workspace, strongest):
    judge_of(workspace)  # skips where there is no sandbox or compiler

    def called(command, *arguments):
        options = ("--sandbox", strongest, "--seeds", "0-1", "--json")
        return json.loads(CliRunner().invoke(ahc, [command, *arguments, *options], catch_exceptions=False).stdout)

    return called


@pytest.fixture
def python():
    if not Path("/usr/bin/python3").exists():
        pytest.skip("install python3")


@pytest.fixture
def rust(monkeypatch):
    if shutil.which("rustc") is None:
        pytest.skip("install rustc")
    # Rustup looks for its toolchains in the home, which is another one within tests.
    home = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".rustup"
    if home.is_dir():
        monkeypatch.setenv("RUSTUP_HOME", str(home))


def write(folder, one="1"):
    (folder / "main.cpp").write_text(MAIN)
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "added.hpp").write_text(ADDED.replace("ONE", one))


def test_a_program_of_several_files_is_judged_and_submitted_as_one(call, workspace):
    write(workspace.folder)
    assert call("test", "main.cpp")["sum"] == 32
    done = json.loads(CliRunner().invoke(ahc, ["submit-file", "main.cpp", "--json"]).stdout)
    assert [Path(file).name for file in done["files"]] == ["main.cpp", "added.hpp"]
    shutil.rmtree(workspace.folder / "parts")
    assert call("test", "submit.cpp")["sum"] == 32


def test_an_error_names_the_file_that_it_is_in(call, workspace):
    write(workspace.folder, one="nothing")
    with pytest.raises(UserError, match=r"'main\.cpp' does not compile: parts/added\.hpp:1:\d+: error: .nothing"):
        call("test", "main.cpp")


def test_a_program_in_python_is_run_by_its_interpreter(call, workspace, python):
    write(workspace.folder)
    (workspace.folder / "main.py").write_text(PYTHON)
    assert call("test", "main.py")["sum"] == 32
    assert call("compare", "main.cpp", "main.py")["mean_difference"] == 0
    (workspace.folder / "broken.py").write_text('raise ValueError("error: no"\n')
    wrong = r"'broken\.py' does not compile: File \"broken\.py\", line 1: SyntaxError: '\(' was never closed"
    with pytest.raises(UserError, match=wrong):
        call("test", "broken.py")


@pytest.mark.long
def test_a_program_in_rust_is_compiled(call, workspace, rust):
    (workspace.folder / "main.rs").write_text(RUST)
    assert call("test", "main.rs")["sum"] == 32
    (workspace.folder / "main.rs").write_text("fn main() { nothing; }")
    with pytest.raises(UserError, match=r"'main\.rs' does not compile: error\[E0425\]"):
        call("test", "main.rs")


def test_a_compiler_that_is_not_there_is_named(call, workspace):
    (workspace.folder / "main.py").write_text(PYTHON)
    with pytest.raises(UserError, match="programs in Python need 'pypy99' where they are judged: it is not there"):
        call("test", "main.py", "--compiler", "pypy99")


def test_one_compiler_is_not_taken_for_two_languages(workspace):
    for name in ("main.cpp", "main.py"):
        (workspace.folder / name).touch()
    done = CliRunner().invoke(ahc, ["compare", "main.cpp", "main.py", "--compiler", "g++"])
    assert "--compiler is for one language" in str(done.exception)


def test_a_suffix_that_says_no_language_is_refused(workspace):
    (workspace.folder / "main.kt").touch()
    done = CliRunner().invoke(ahc, ["test", "main.kt"])
    assert "'.kt' is none of .cpp, .cc, .cxx, .c++, .rs, .py" in str(done.exception)


def test_a_search_starts_from_cpp_only_and_reads_all_files_of_it(workspace):
    write(workspace.folder)
    (start,) = find_start_programs(workspace, ["main.cpp"], with_model=False)
    assert "int added(int n)" in start.source
    (workspace.folder / "main.py").write_text(PYTHON)
    with pytest.raises(
        UserError, match=r"'.*main\.py' is written in Python, and the search changes programs in C\+\+ only"
    ):
        find_start_programs(workspace, ["main.py"], with_model=True)


def test_a_program_that_is_not_there_is_not_taken_for_a_session(workspace):
    done = CliRunner().invoke(ahc, ["submit-file", "nothing.rs"])
    assert str(done.exception) == "cannot read 'nothing.rs': No such file or directory"


@pytest.mark.parametrize(
    ("diagnostics", "limit", "cause"),
    [
        (
            "main.cpp: In function 'void print_error()':\nmain.cpp:1:22: error: 'x' was not declared",
            "",
            "main.cpp:1:22: error: 'x' was not declared",
        ),
        ("warning: unused `error`\nerror[E0425]: cannot find value", "", "error[E0425]: cannot find value"),
        ("the compiler passed its wall limit\nmain.cpp:1: error: no", "wall", "the compiler passed its wall limit"),
        ("collect2: ld returned 1 exit status", "", "collect2: ld returned 1 exit status"),
        ("", "memory", "memory"),
    ],
)
def test_the_cause_of_a_failed_compilation_is_the_line_that_the_compiler_marks(diagnostics, limit, cause):
    assert CompileFailed(diagnostics, limit=limit).cause == cause


def test_only_the_file_itself_is_called_by_another_name():
    said = "main.cpp:1: error: no\nparts/main.cpp:2: note\ndomain.cpp:3: note"
    assert CompileFailed(said).naming("main.cpp", "a.cpp").diagnostics == said.replace("main", "a", 1)
