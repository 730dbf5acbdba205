"""`evo evolve --check`: what an evaluator is worth, without a run."""

import json


def test_a_check_says_what_it_found_and_makes_no_run(runs, task):
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "--check")
    assert done.returncode == 0, done.stderr
    for words in ("yours", "-32.5", "endless loop", "time-out", "NaN", "200 trials take about"):
        assert words in done.stdout
    assert not (runs.folder / "runs").exists()


def test_a_check_says_what_it_is_doing_unless_a_program_reads(runs, task):
    files = (task / "program.py", task / "evaluate.py")
    said = runs.evo("evolve", *files, "--check", "--timeout", "20").stderr.splitlines()[1:]
    assert said == [
        "checking: 6 evaluations of your program, each at most 20 s",
        "checking: 6 programs that nobody wants, each at most 3 s",
    ]
    assert "checking" not in runs.evo("evolve", *files, "--check", "--json").stderr


def test_an_evaluator_that_is_worth_nothing_ends_with_2(runs, task):
    (task / "evaluate.py").write_text("def evaluate(program_path):\n    return 1.5\n")
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "--check", "--json", "-n", "50")
    assert done.returncode == 2, done.stderr
    data = json.loads(done.stdout)
    assert (
        data["findings"][0]["text"] == "Every program scores 1.5, broken ones too: this evaluator tells nothing apart."
    )
    assert data["findings"][-1]["text"].startswith("50 trials take ")


def test_what_is_missing_is_said_before_anything_is_evaluated(runs, task):
    (task / "evaluate.py").write_text("import no_such_library\n\n\ndef evaluate(program_path):\n    return 1.5\n")
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "--check")
    assert done.returncode == 2
    assert "evaluate.py imports no_such_library: " in done.stderr.splitlines()[-1]
