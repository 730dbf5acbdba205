"""`evo evolve`: a run from a program and its evaluator, an ordinary one that other commands work with."""

import json
import subprocess

import pytest


def evolve(runs, *arguments):
    return runs.evo("evolve", *arguments)


def error_of(done):
    assert done.stderr.count("\n") <= 3, done.stderr
    return done.returncode, done.stderr.splitlines()[-1]


def test_two_files_make_a_run_with_its_own_copy_of_them(runs, task, halving, shown):
    done = evolve(runs, task / "program.py", task / "evaluate.py", "-n", "12", *halving)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == "evaluator: OpenEvolve's style: it defines evaluate(program_path)"
    run = runs.folder / "runs" / "valley-1"
    assert {path.name for path in (run / "task").iterdir()} == {"program.py", "evaluate.py"}
    program = shown(run)["plugins"][0]
    assert program["name"] == "program"
    assert program["with"]["task"]["folder"] == str(run / "task")
    assert program["with"]["task"]["origins"] == {".": str(task)}
    assert program["with"]["candidate"] == {"program": "program.py", "change": [], "suffix": ".py"}


def test_other_commands_work_with_the_run(runs, task, halving):
    evolve(runs, task / "program.py", task / "evaluate.py", "-n", "8", *halving)
    assert json.loads(runs.evo("status", "--json").stdout)["trials"] == 8
    resumed = runs.evo("resume", "latest", "--set", "budget.trials=12", "--json")
    assert json.loads(resumed.stdout)["trials"] == 12
    assert "plugins:" in runs.evo("show").stdout


def test_options_stand_at_their_places_in_the_pipeline(runs, task, halving, shown):
    data = task / "data.txt"
    data.write_text("1")
    options = (
        "--seconds",
        "1h",
        "--metric",
        "combined_score",
        "--minimise",
        "--bounds",
        "-99,0",
        "--repeat",
        "2",
        "-j",
        "3",
    )
    limits = ("--timeout", "30", "--memory-mb", "512", "--env", "LANG", "--network", "--read", data, "--seed", "7")
    files = (task / "program.py", task / "evaluate.py")
    done = evolve(runs, *files, "-n", "2", "-t", "9", *options, *limits, *halving)
    assert done.returncode == 0, done.stderr
    pipeline = shown(runs.folder / "runs" / "valley-1")
    assert (pipeline["seed"], pipeline["executor"]["workers"]) == (7, 3)
    assert {key: pipeline["budget"][key] for key in ("trials", "seconds")} == {"trials": 2, "seconds": 3600.0}
    program = pipeline["plugins"][0]["with"]
    assert program["rules"] == {"metric": "combined_score", "minimise": True, "bounds": [-99.0, 0.0]}
    assert program["trust"] == {"final": "", "repeat": 2}
    assert program["limits"] == {"seconds": 30.0, "memory_mb": 512}
    assert program["evaluator"]["read"] == [str(data)]
    assert (program["evaluator"]["env"], program["evaluator"]["network"]) == (["LANG"], True)
    assert (runs.folder / "runs" / "valley-1" / "task" / "data.txt").readlink() == data


def test_a_program_elsewhere_is_copied_into_a_folder_of_its_own(runs, task, halving, shown):
    program = runs.folder / "start.py"
    (task / "program.py").rename(program)
    done = evolve(runs, program, task / "evaluate.py", "-n", "4", *halving)
    assert done.returncode == 0, done.stderr
    run = runs.folder / "runs" / "valley-1"
    assert (run / "task" / "program" / "start.py").exists()
    options = shown(run)["plugins"][0]["with"]
    assert options["evaluator"]["path"] == "evaluate.py"
    assert options["candidate"]["program"] == "program/start.py"


def test_a_folder_with_a_task_is_enough(runs, task, halving):
    (task / "program.py").rename(task / "initial.py")
    done = evolve(runs, "--task-dir", task, "-n", "4", *halving)
    assert done.returncode == 0, done.stderr


def test_the_letters_of_openevolve_mean_what_they_mean_there(runs, task, halving, shown):
    where = runs.folder / "out"
    done = evolve(runs, task / "program.py", task / "evaluate.py", "-o", where, "-i", "3", "-t", "-0.5", *halving)
    assert done.returncode == 0, done.stderr
    assert shown(where)["budget"]["target_score"] == -0.5
    assert json.loads(runs.evo("status", where, "--json").stdout)["trials"] == 4
    more = evolve(runs, "--checkpoint", where, "-i", "6", "--json")
    assert json.loads(more.stdout)["trials"] == 7


def test_a_configuration_of_openevolve_is_taken_over_with_a_word_about_what_is_not(runs, task, halving, shown):
    (task / "config.yaml").write_text(
        "max_iterations: 3\nprompt: {system_message: Be quick.}\nevaluator: {timeout: 20}\nllm: {temperature: 0.5}\n"
        "database: {num_islands: 2, population_size: 50}\n"
    )
    done = evolve(runs, task / "program.py", task / "evaluate.py", "-c", task / "config.yaml", "-n", "2", *halving)
    assert done.returncode == 0, done.stderr
    assert "note: config.yaml: database.population_size" in done.stderr
    pipeline = shown(runs.folder / "runs" / "valley-1")
    program, islands = (each["with"] for each in pipeline["plugins"][:2])
    assert program["task"]["statement"] == "Be quick."
    assert program["limits"]["seconds"] == 20
    assert len(islands["islands"]) == 2
    assert pipeline["budget"]["trials"] == 2
    assert [each["name"] for each in pipeline["plugins"]] == ["program", "islands", "halving"]


def test_a_key_in_a_configuration_is_refused(runs, task, halving):
    (task / "config.yaml").write_text("llm: {api_key: sk-1234567890abcdef}\n")
    code, said = error_of(evolve(runs, task / "program.py", task / "evaluate.py", "-c", task / "config.yaml", *halving))
    assert code == 2
    assert "llm.api_key" in said


@pytest.mark.long
def test_files_of_a_folder_are_candidates_where_patterns_match_them(runs, task, halving, monkeypatch):
    source = runs.folder / "src"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "a.py").write_text("A = 2.5\n")
    (source / "bench.sh").write_text("sed 's/A = /time: /' src/deep/a.py\n")
    line = ("sh src/bench.sh", "--change", "src/**/*.py", "--score", "time: ([0-9.]+)", "--minimise")
    done = evolve(runs, "src", *line, "-n", "12", *halving)
    assert done.returncode == 0, done.stderr
    best = json.loads(runs.evo("show", "--trial", "best", "--json").stdout)
    assert set(best["candidate"]["files"]) == {"src/deep/a.py"}
    assert best["evaluation"]["score"] > -2.5
    assert runs.evo("apply", "--yes").returncode == 0
    assert (source / "deep" / "a.py").read_text() == best["candidate"]["files"]["src/deep/a.py"]


def test_children_find_what_evaluations_of_their_parents_kept(runs, task, halving):
    (task / "evaluate.py").write_text(
        """
import pathlib

def evaluate(program_path):
    program = pathlib.Path(program_path)
    before = program.with_name("kept_by_parent")
    generation = int(before.read_text()) + 1 if before.exists() else 0
    program.with_name("kept").write_text(str(generation))
    return {"combined_score": generation}
"""
    )
    done = evolve(runs, task / "program.py", task / "evaluate.py", "-n", "30", "--json", *halving)
    assert json.loads(done.stdout)["best"]["evaluation"]["score"] > 1


def test_a_changed_evaluator_is_noticed_on_resume(runs, task, halving):
    evolve(runs, task / "program.py", task / "evaluate.py", "-n", "2", *halving)
    with (task / "evaluate.py").open("a") as file:
        file.write("# another\n")
    (task / "more.py").write_text("")
    resumed = runs.evo("resume", "latest", "--set", "budget.trials=4")
    assert resumed.returncode == 0, resumed.stderr
    assert "changed since this run began, which goes on with its own copy: evaluate.py, more.py" in resumed.stderr


def test_a_damaged_copy_is_refused(runs, task, halving):
    evolve(runs, task / "program.py", task / "evaluate.py", "-n", "2", *halving)
    with (runs.folder / "runs" / "valley-1" / "task" / "evaluate.py").open("a") as file:
        file.write("# another\n")
    code, said = error_of(runs.evo("resume", "latest", "--set", "budget.trials=4"))
    assert code == 2
    assert "is not what the run began with" in said


def test_a_run_in_the_background_is_named(runs, task, halving):
    done = evolve(runs, task / "program.py", task / "evaluate.py", "-n", "4", "--background", "--json", *halving)
    assert json.loads(done.stdout)["run"] == "valley-1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give PROGRAM and EVALUATOR"),
        (("valley/program.py", "valley/missing.py"), "no such file"),
        (("valley/missing.py", "valley/evaluate.py"), "program 'valley/missing.py': No such file"),
        (("valley/evaluate.py",), "without a start program a model has to write one: add --llm"),
        (("valley", "valley/evaluate.py"), "say what may change in it with --change GLOB"),
        (("valley", "valley/evaluate.py", "--change", "*.rs"), "--change '*.rs' matches no file"),
        (("valley/program.py", "valley/evaluate.py", "--change", "*"), "--change goes with a folder"),
        (("valley/program.py", "valley/evaluate.py", "--bounds", "2,1"), "two numbers, the lower one first"),
        (("valley/program.py", "valley/evaluate.py", "--seconds", "soon"), "'soon' is not a time"),
        (("valley/program.py", "valley/evaluate.py", "--set", "bugdet.trials=1"), "did you mean 'budget'"),
        (("valley/program.py", "valley/evaluate.py", "--plugin", "halvin"), "halvin"),
        (("valley/program.py", "valley/evaluate.py", "--llm", "openai:a,ollama:b"), "have one driver"),
        (("valley/program.py", "valley/evaluate.py", "--llm", "manual", "--api-base", "http://x/v1"), "asks no server"),
        (
            ("valley/program.py", "valley/evaluate.py", "--objective", "a,-b", "--minimise"),
            "leave out --minimise, or write --objective -a,-b",
        ),
        (("--task-dir", "valley", "valley/evaluate.py"), "leave out PROGRAM and EVALUATOR"),
        (("--task-dir", "elsewhere"), "is not a folder"),
        (("--example", "cache", "valley/program.py"), "--example cache brings its own program and evaluator"),
        (("valley/program.py", "valley/evaluate.py", "--read", "data"), "--read 'data': No such file"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line_and_leaves_no_run(runs, task, halving, arguments, words):
    code, said = error_of(evolve(runs, *arguments))
    assert code == 2
    assert words in said
    assert not list((runs.folder / "runs").glob("*"))


def test_too_much_beside_the_evaluator_is_refused_with_a_way_out(runs, task, halving):
    large = task / "data.bin"
    with large.open("wb") as file:
        file.truncate(200_000_000)
    code, said = error_of(evolve(runs, task / "program.py", task / "evaluate.py", *halving))
    assert code == 2
    assert "name large data with --read PATH" in said
    done = evolve(runs, task / "program.py", task / "evaluate.py", "--read", large, "-n", "2", *halving)
    assert done.returncode == 0, done.stderr


def test_a_run_that_cannot_start_leaves_nothing_behind(runs, task, halving):
    where = runs.folder / "out"
    done = evolve(
        runs, task / "program.py", task / "evaluate.py", "-o", where, *halving, "--set", "owners.select=nobody"
    )
    assert done.returncode == 2
    assert not where.exists()


def test_an_example_is_put_into_a_folder_of_its_name_and_improves(runs):
    done = evolve(runs, "--example", "cache", "-n", "12", "--json")
    assert done.returncode == 0, done.stderr
    assert "a program and its evaluator in cache/" in done.stderr
    assert {path.name for path in (runs.folder / "cache").iterdir()} >= {"program.py", "evaluate.py"}
    assert json.loads(done.stdout)["best"]["evaluation"]["score"] > 0.68


def test_an_example_that_was_changed_stays_as_it_is(runs):
    (runs.folder / "cache").mkdir()
    (runs.folder / "cache" / "evaluate.py").write_text(
        "def evaluate(program_path):\n    return {'combined_score': 7.0}\n"
    )
    done = evolve(runs, "--example", "cache", "-n", "2", "--json")
    assert json.loads(done.stdout)["best"]["evaluation"]["score"] == 7.0


@pytest.mark.parametrize("name", ["HOME", "TMPDIR"])
def test_variables_that_the_sandbox_sets_are_not_granted(runs, task, name):
    done = evolve(runs, task / "program.py", task / "evaluate.py", "--env", name)
    code, said = error_of(done)
    assert code == 2
    assert f"{name} is set for each evaluation" in said


def test_a_variable_that_is_not_set_is_noted(runs, task, halving):
    done = evolve(runs, task / "program.py", task / "evaluate.py", "--env", "NOBODY_HAS_SET_THIS", "-n", "1", *halving)
    assert done.returncode == 0, done.stderr
    assert "note: --env NOBODY_HAS_SET_THIS: there is no such variable" in done.stderr


def test_a_program_without_numbers_needs_a_model_and_that_is_said_before_anything_runs(runs, task):
    (task / "program.py").write_text("def point():\n    return some_x(), some_y()\n")
    done = evolve(runs, task / "program.py", task / "evaluate.py")
    code, said = error_of(done)
    assert code == 2
    assert "program.py: no number in it can be tuned, and there is no model" in said
    assert not list(runs.folder.glob("runs/*"))


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("WAIT_TIME = 3.5\n", "WAIT_TIME: times, seeds, sizes and 0 are left as they are"),
        ("X = 3.5\n# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n", "its numbers are outside of the EVOLVE-BLOCK marks"),
        ("def point(:\n", "line 1: invalid syntax"),
    ],
)
def test_why_no_number_can_be_tuned_is_said(runs, task, program, why):
    (task / "program.py").write_text(program)
    code, said = error_of(evolve(runs, task / "program.py", task / "evaluate.py"))
    assert code == 2
    assert f"program.py: no number in it can be tuned ({why}), and there is no model" in said


def test_a_metric_called_error_counts_where_it_is_asked_for(runs, task, halving):
    evaluator = task / "evaluate.py"
    evaluator.write_text(evaluator.read_text().replace('{"combined_score": -(', '{"error": ('))
    done = evolve(runs, task / "program.py", evaluator, "--metric", "error", "--minimise", "-n", "2", *halving)
    assert done.returncode == 0, done.stderr
    assert json.loads(runs.evo("show", "--trial", "0", "--json").stdout)["evaluation"]["score"] == -32.5


def test_an_evaluation_finds_no_repository(runs, task, halving):
    subprocess.run(["git", "init", "-q"], cwd=runs.folder, check=True)  # around the run too
    with (task / "evaluate.py").open("a") as file:
        file.write(
            "\n\nimport subprocess\nassert subprocess.run(['git', 'rev-parse', '--git-dir']).returncode == 128\n"
        )
    done = runs.evo("evolve", task / "program.py", task / "evaluate.py", "-n", "1", *halving)
    assert done.returncode == 0, done.stderr
    assert "1 trials, best score" in done.stdout


@pytest.mark.parametrize("objectives", ["combined_score,-nope", "-nope,combined_score"])
def test_an_objective_that_the_start_program_has_no_metric_for_ends_the_run_at_once(runs, task, halving, objectives):
    done = evolve(runs, task / "program.py", task / "evaluate.py", "--objective", objectives, "-n", "9", *halving)
    assert done.returncode == 3
    assert "there is no number 'nope' among the metrics: combined_score" in done.stderr.splitlines()[-1]
    assert json.loads(runs.evo("status", "--json").stdout)["trials"] == 1
