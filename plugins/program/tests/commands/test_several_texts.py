"""Candidates of several files, other languages and texts, by the real command."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

CPP = '#include "rate.h"\n#include <cstdio>\nint main() { std::printf("work: %f\\n", rate() + 1.0); }\n'
RATE = "#pragma once\ninline double rate() { return 3.5; }\n"
MAKEFILE = "bench:\n\t@g++ -O1 -o bench main.cpp && ./bench\n"
COMPILED = {
    ".c": ("gcc", '#include <stdio.h>\nint main(void) { printf("%f\\n", 3.5); return 0; }\n', 'gcc -o out "$1"'),
    ".f90": ("gfortran", "program p\n  print *, 3.5\nend program p\n", 'gfortran -o out "$1"'),
    ".go": (
        "go",
        'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(3.5) }\n',
        'GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o out "$1"',
    ),
    ".rs": ("rustc", 'fn main() { println!("{}", 3.5); }\n', 'rustc -o out "$1"'),
}


def show(runs, trial="best"):
    return json.loads(runs.evo("show", "--trial", str(trial), "--json").stdout)


def test_files_of_a_program_in_another_language_are_built_and_applied(runs, halving):
    if not (shutil.which("g++") and shutil.which("make")):
        pytest.skip("install g++ and make")
    source = runs.folder / "src"
    source.mkdir()
    for name, text in (("main.cpp", CPP), ("rate.h", RATE), ("Makefile", MAKEFILE)):
        (source / name).write_text(text)
    words = ("make bench", "--change", "*.cpp", "--change", "*.h", "--score", "work: ([0-9.]+)", "--minimise")
    done = runs.evo("evolve", "src", *words, "-n", "10", *halving)
    assert done.returncode == 0, done.stderr
    best = show(runs)
    assert show(runs, 0)["evaluation"]["score"] == -4.5
    assert best["evaluation"]["score"] > -4.5
    assert set(best["candidate"]["files"]) == {"main.cpp", "rate.h"}
    assert runs.evo("apply", "--yes").returncode == 0
    built = subprocess.run(["make", "-s", "bench"], cwd=source, text=True, capture_output=True, check=True)
    assert float(built.stdout.split()[1]) == -best["evaluation"]["score"]


@pytest.mark.parametrize("suffix", COMPILED)
def test_a_program_in_another_language_is_compiled_where_it_is_evaluated(runs, halving, suffix):
    compiler, program, build = COMPILED[suffix]
    if shutil.which(compiler, path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"install {compiler} for all users")
    (runs.folder / f"start{suffix}").write_text(program)
    script = runs.folder / "score.sh"
    script.write_text(f"#!/bin/sh\nset -e\n{build} >&2\n./out\n")
    done = runs.evo("evolve", f"start{suffix}", "score.sh", "--minimise", "-n", "2", *halving)
    assert done.returncode == 0, done.stderr
    assert show(runs, 0)["evaluation"]["score"] == -3.5


GEPA = {
    "text": "def evaluate(candidate): return -float(candidate.split()[-1]), {'Feedback': 'shorter'}\n",
    "example": (
        "dataset = [1.0, 2.0]\ndef evaluate(candidate, example): return -float(candidate.split()[-1]) * example / 1.5\n"
    ),
    "state": (
        "def evaluate(candidate, opt_state=None):\n"
        "    return -float(candidate.split()[-1]) + len(opt_state.best_example_evals)\n"
    ),
    "batch": (
        "valset = [0.0, 1.0]\ndataset = [7.0]\n"
        "def batch_evaluator(pairs): return [(-float(c.split()[-1]) * 2 * e, {}) for c, e in pairs]\n"
    ),
    "batch without examples": "def batch_evaluator(pairs): return [-float(c.split()[-1]) for c, _ in pairs]\n",
}


@pytest.mark.parametrize("source", GEPA.values(), ids=GEPA)
def test_a_text_is_handed_to_its_evaluator_as_gepa_does(runs, halving, source):
    (runs.folder / "prompt.txt").write_text("Answer with at most this number of words: 3.5\n")
    (runs.folder / "judge.py").write_text(source)
    done = runs.evo("evolve", "prompt.txt", "judge.py", "-n", "8", *halving)
    assert done.returncode == 0, done.stderr
    assert "GEPA's style" in done.stderr.splitlines()[0]
    assert show(runs, 0)["evaluation"]["score"] == -3.5


def test_several_texts_are_a_dict_by_their_names(runs, halving):
    prompts = runs.folder / "prompts"
    prompts.mkdir()
    (prompts / "system.txt").write_text("A = 3.5\n")
    (prompts / "task.txt").write_text("B = 2.0\n")
    (runs.folder / "judge.py").write_text(
        "def evaluate(candidate: dict[str, str]):\n"
        "    return -float(candidate['system'].split()[-1]) - float(candidate['task'].split()[-1])\n"
    )
    done = runs.evo("evolve", "prompts", "judge.py", "--change", "*.txt", "-n", "2", *halving)
    assert done.returncode == 0, done.stderr
    assert show(runs, 0)["evaluation"]["score"] == -5.5


def test_a_script_that_is_not_marked_as_executable_is_run_by_what_it_names(runs, halving):
    (runs.folder / "start.txt").write_text("3.5\n")
    (runs.folder / "score.py").write_text("import sys\nprint(-float(open(sys.argv[1]).read()))\n")
    done = runs.evo("evolve", "start.txt", "score.py", "-n", "1", *halving)
    assert done.returncode == 0, done.stderr
    assert show(runs, 0)["evaluation"]["score"] == -3.5
