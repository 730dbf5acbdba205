"""The main job end to end: `evo run --plugin graph_invariant` discovers a formula, the same one whoever works on it."""

import json
import re

import pytest

SLICE = "plugins.graph_invariant.with.explore.slice=300"
"""What a trial looks at: little, since it is asked whether the runs are equal, not how good they are."""

LAST_LINES = (
    r"best test rho = 0\.\d{4}\n"
    r"best OOD rho = large 0\.\d{4} extreme 0\.\d{4} special 0\.\d{4}\n"
    r"AST nodes = \d+\n"
    r"run = (/.+)\n\Z"
)


@pytest.mark.long
def test_it_ends_with_the_four_lines_that_a_program_may_read(runs, tmp_path):
    done = runs.evo_apart(
        "run", "--plugin", "graph_invariant", "--trials", "60", "--run-dir", tmp_path / "run", "--set", SLICE
    )
    assert done.returncode == 0, done.stderr
    match = re.search(LAST_LINES, done.stdout)
    assert match, done.stdout[-500:]
    assert match[1] == str(tmp_path / "run")
    assert "LinearRegression" in done.stdout
    assert "RandomForest" in done.stdout
    assert "\x1b[" not in done.stdout + done.stderr, "piped output is plain"
    shown = runs.evo_apart("show", tmp_path / "run", "--trial", "best")
    assert "def new_invariant(G):" in shown.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    "executor",
    [
        pytest.param({"workers": 16}, id="threads"),
        pytest.param({"driver": "processes", "workers": 3}, id="processes", marks=pytest.mark.slow),
    ],
)
def test_the_same_seed_finds_the_same_formulas_with_any_executor(runs, tmp_path, executor):
    def discover(name, settings):
        sets = [part for key, value in settings.items() for part in ("--set", f"executor.{key}={value}")]
        sets += ["--set", SLICE]
        path = tmp_path / name
        done = runs.evo_apart(
            "run", "--plugin", "graph_invariant", "--trials", "40", "--run-dir", path, "--json", *sets
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), runs.trials(path)

    alone, trials = discover("alone", {"workers": 1})
    together, same = discover("together", executor)
    assert same == trials
    assert together["final"] == alone["final"]
