"""From a request to a pipeline: models, stops, configurations of others, and what lies where."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from evograft.api import UserError
from evograft_hookspecs.values import thaw
from evograft_program.foreign.openevolve_arguments import OpenEvolveArguments
from evograft_program.options import EvaluatorStyle
from evograft_program.requests.plan import plan_evolution, program_options
from evograft_program.requests.request import EvolveRequest, merge
from evograft_program.task.candidates import read_start
from evograft_program.task.copy import describe_changes

HERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def compose(task):
    """The pipeline of a request for the usual task."""

    def compose(**given):
        request = EvolveRequest(**{"program": task / "program.py", "evaluator": str(task / "evaluate.py"), **given})
        return plan_evolution(request).compose(Path("task"))

    return compose


@pytest.mark.parametrize(
    ("given", "driver", "models"),
    [
        ({"llm": "manual"}, "manual", []),
        ({"llm": "ollama:qwen3:8b,llama3"}, "ollama", ["qwen3:8b", "llama3"]),
        ({"llm": "openai:a, openai:b"}, "openai", ["a", "b"]),
        (
            {"arguments": OpenEvolveArguments(api_base=HERE, primary_model="a", secondary_model="b")},
            "openai",
            ["a", "b"],
        ),
    ],
)
def test_models_are_named_in_a_word_or_as_openevolve_names_them(compose, given, driver, models):
    llm = compose(**given).llm
    assert (llm.driver, [model.name for model in llm.models]) == (driver, models)


@pytest.mark.parametrize(("driver", "key"), [("openai", "base_url"), ("litellm", "api_base"), ("ollama", "host")])
def test_the_address_of_a_server_is_an_option_of_its_driver(compose, driver, key):
    llm = compose(llm=f"{driver}:m", arguments=OpenEvolveArguments(api_base=HERE)).llm
    assert llm.options[key] == HERE


def test_with_a_model_operators_ask_it_and_without_one_nothing_does(compose):
    assert [each.name for each in compose().plugins] == ["program", "islands"]
    assert [each.name for each in compose(llm="manual").plugins] == ["program", "islands", "operators"]
    assert [each.name for each in compose(llm="none").plugins] == ["program", "islands"]


def test_a_run_without_a_limit_on_time_has_one_on_trials(compose):
    assert compose().budget.trials == 200
    assert compose(llm="manual", settings={"dollars": 5.0}).budget.trials == 200
    assert compose(settings={"seconds": 60.0}).budget.trials is None
    assert compose(settings={"seconds": 60.0, "trials": 7}).budget.trials == 7


def test_as_many_evaluations_as_run_at_a_time_are_in_flight(compose):
    assert compose(settings={"jobs": 4}).window is None
    assert compose(settings={"jobs": 32}).window == 32


def test_a_target_of_something_that_is_minimised_is_negated_like_the_score(compose):
    assert compose(settings={"target_score": 3.0, "minimise": True}).budget.target_score == -3.0
    assert compose(settings={"target_score": 3.0}).budget.target_score == 3.0


def test_deadlines_are_far_above_what_evaluations_may_take(compose):
    pipeline = compose(settings={"timeout": 100.0, "repeat": 5, "confirm": 3})
    assert pipeline.deadlines.evaluate > 8 * 3 * 100
    assert pipeline.deadlines.final >= 1800


def test_deadlines_that_are_given_are_kept(compose):
    assert compose(overrides=("deadlines.evaluate=7",)).deadlines.evaluate == 7


def test_a_configuration_next_to_the_evaluator_is_pointed_to(task):
    request = EvolveRequest(program=task / "program.py", evaluator=str(task / "evaluate.py"))
    assert plan_evolution(request).warnings == ()
    (task / "config.yaml").write_text("max_iterations: 9\n")
    (note,) = plan_evolution(request).warnings
    assert f"-c {task / 'config.yaml'} takes its settings over" in note
    assert plan_evolution(replace(request, config=task / "config.yaml")).warnings == ()


def test_what_is_given_goes_before_a_configuration_and_overrides_before_everything(compose, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("max_iterations: 9\nrandom_seed: 3\nevaluator: {timeout: 5}\nprompt: {system_message: Theirs.}\n")
    pipeline = compose(config=config, statement="Mine.", settings={"seed": 4}, overrides=("budget.trials=8",))
    options = program_options(pipeline)
    assert (pipeline.seed, pipeline.budget.trials) == (4, 8)
    assert (options.task.statement, options.limits.seconds) == ("Mine.", 5)


def test_a_configuration_of_shinka_may_name_the_files(task):
    config = task / "shinka.yaml"
    config.write_text(
        "evo_config: {init_program_path: program.py, task_sys_msg: Descend.}\njob_config: {eval_program_path: evaluate.py}\n"
    )
    plan = plan_evolution(EvolveRequest(config=config))
    assert set(plan.files) == {"program.py", "evaluate.py", "shinka.yaml"}
    assert program_options(plan.compose(Path("task"))).task.statement == "Descend."


def test_without_a_start_program_a_model_writes_one(task):
    request = {"evaluator": str(task / "evaluate.py"), "statement": "Descend."}
    with pytest.raises(UserError, match="without a start program a model has to write one"):
        plan_evolution(EvolveRequest(**request))
    pipeline = plan_evolution(EvolveRequest(**request, llm="manual", settings={"suffix": ".cpp"})).compose(Path("task"))
    candidate = program_options(pipeline).candidate
    assert (candidate.program, candidate.suffix) == ("", ".cpp")


def test_a_program_in_no_programming_language_may_be_written_by_models_all_the_same(task, compose):
    (task / "prompt.tmpl").write_text("Count to {{n}}.")
    plugins = {each.name: dict(each.with_) for each in compose(program=task / "prompt.tmpl", llm="manual").plugins}
    assert plugins["operators"]["kinds"] == ("program",)
    assert "kinds" not in {each.name: dict(each.with_) for each in compose(llm="manual").plugins}["operators"]


def test_the_function_of_a_program_is_found_where_an_evaluator_is_given_one(tmp_path):
    (tmp_path / "sorting.py").write_text("def order(items):\n    return sorted(items)\n")
    (tmp_path / "evaluate.py").write_text("def evaluate(fn):\n    return float(fn([2, 1]) == [1, 2])\n")
    request = EvolveRequest(program=tmp_path / "sorting.py", evaluator=str(tmp_path / "evaluate.py"))
    evaluator = program_options(plan_evolution(request).compose(Path("task"))).evaluator
    assert (evaluator.style, evaluator.function) == (EvaluatorStyle.FUNCTION, "order")
    with (tmp_path / "sorting.py").open("a") as file:
        file.write("def other(items):\n    return items\n")
    with pytest.raises(UserError, match="several functions: say which one is evaluated with --function NAME"):
        plan_evolution(request)


def test_a_shell_line_is_carried_out_among_the_files_of_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "score.sh").write_text("wc -c < $1")
    (tmp_path / "a.txt").write_text("a")
    plan = plan_evolution(EvolveRequest(program=Path("a.txt"), evaluator="sh score.sh"))
    assert plan.recognition.style is EvaluatorStyle.COMMAND
    assert set(plan.files) == {"a.txt", "score.sh"}
    assert program_options(plan.compose(Path("task"))).evaluator.path == "sh score.sh"


def test_later_layers_go_before_earlier_ones_key_by_key():
    assert merge({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"c": 4}}, {"d": {"e": 5}}) == {
        "a": {"b": 1, "c": 4},
        "d": {"e": 5},
    }


@pytest.mark.parametrize(("given", "is_path"), [(".venv/bin/python", True), ("python3", False)])
def test_a_path_of_a_python_is_kept_absolute_for_a_resume_from_anywhere(monkeypatch, tmp_path, given, is_path):
    monkeypatch.chdir(tmp_path)
    settings = EvolveRequest(settings={"python": given}).lay_out_settings()
    assert settings["plugins"]["program"]["evaluator"]["python"] == (str(tmp_path / given) if is_path else given)


def islands_of(pipeline):
    return thaw(next(each for each in pipeline.plugins if each.name == "islands").with_)


@pytest.fixture
def repository(task):
    """The folder of the task in a repository that ignores some of what is in it, with a file that is not committed."""
    for name in ("src/a.cpp", "src/made.cpp", "build/a.o", "data/cases", "data/large", ".env", "new.txt"):
        (task / name).parent.mkdir(exist_ok=True)
        (task / name).write_text("int a;\n")
    (task / ".gitignore").write_text("/build/\n/data/\n.env\nmade.cpp\n")
    git(task, "init", "-q")
    git(task, "add", "program.py", "src", ".gitignore")
    return task


def git(folder, *words):
    identity = ("-c", "user.name=Me", "-c", "user.email=me@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def plan_folder(folder, **given):
    request = {"program": folder, "evaluator": str(folder / "evaluate.py"), "change": ("src/*.cpp",)}
    return plan_evolution(EvolveRequest(**{**request, **given}))


def test_what_git_ignores_is_no_part_of_a_folder_that_is_the_program(repository, tmp_path):
    plan = plan_folder(repository)
    assert set(plan.files) == {".gitignore", "evaluate.py", "new.txt", "program.py", "src/a.cpp"}
    assert "git ignores .env, build, data and 1 more: evaluations do not get it unless" in plan.warnings[-1]
    options = program_options(plan.attach(tmp_path / "copy"))
    assert set(read_start(options.task, options.candidate)) == {"src/a.cpp"}
    (repository / "build" / "b.o").touch()
    assert describe_changes(options) == ""
    (repository / "src" / "b.cpp").touch()
    assert ": src/b.cpp;" in describe_changes(options)


def test_what_is_named_belongs_to_the_task_although_git_ignores_it(repository):
    (repository / ".gitignore").write_text("/data/\nevaluate.py\n")
    plan = plan_folder(repository, read=(repository / "data",))
    assert {"evaluate.py", "data"} <= set(plan.files)


def test_a_folder_is_whole_where_it_is_a_worktree_and_has_a_submodule(repository, tmp_path):
    git(repository, "commit", "-qm", "start")
    git(repository, "submodule", "add", "-q", str(repository), "part")
    git(repository, "commit", "-qm", "part")
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "-q", str(tree))
    git(tree, "submodule", "update", "--init", "-q")
    (tree / "evaluate.py").write_text("")
    files = set(plan_folder(tree, evaluator="sh bench.sh").files)
    assert files >= {"src/a.cpp", "part/src/a.cpp", "evaluate.py"}
    assert not {".git", "part/.git"} & files


def test_objectives_are_searched_for_by_their_front_and_the_first_one_is_the_score(compose):
    pipeline = compose(settings={"objectives": ("-seconds", "right")})
    rules = program_options(pipeline).rules
    assert (rules.metric, rules.minimise, rules.objectives) == ("seconds", True, ("-seconds", "right"))
    assert islands_of(pipeline) == {"search": "pareto"}


@pytest.mark.parametrize(
    ("given", "minimise"),
    [({"metric": "right"}, False), ({"metric": "other"}, False), ({"metric": "other", "minimise": True}, True)],
)
def test_the_score_has_the_direction_of_its_objective_and_another_metric_has_its_own(compose, given, minimise):
    rules = program_options(compose(settings={"objectives": ("-seconds", "right"), **given})).rules
    assert (rules.metric, rules.minimise) == (given["metric"], minimise)


FEW_TRIALS = {"when_empty": "borrow", "seeds": "fallback", "migration_every": 1}
BANDIT = {"by": "bandit"}


def say_of_islands(options):
    return tuple(f"plugins.islands.with.{name}={json.dumps(value)}" for name, value in options.items())


@pytest.mark.parametrize(
    ("said", "completed"),
    [
        ({}, {"search": "composed", "composed": BANDIT, **FEW_TRIALS}),
        ({"elites": 4}, {"search": "composed", "composed": BANDIT, "elites": 4, **FEW_TRIALS}),
        ({"composed": {"memory": 9}}, {"search": "composed", "composed": {**BANDIT, "memory": 9}, **FEW_TRIALS}),
        ({"search": "islands"}, {"search": "islands", **FEW_TRIALS}),
        ({"baseline": "sequential"}, {"baseline": "sequential"}),
        ({"baseline": None}, {"baseline": None, "search": "composed", "composed": BANDIT, **FEW_TRIALS}),
    ],
)
def test_with_a_model_several_searches_share_the_trials_where_none_is_named(compose, said, completed):
    assert islands_of(compose(llm="manual", overrides=say_of_islands(said))) == completed


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ({}, FEW_TRIALS),
        ({"elites": 4}, FEW_TRIALS),
        ({"search": "composed"}, {**FEW_TRIALS, "composed": BANDIT}),
        (
            {"search": "composed", "composed": {"by": "turns", "members": ["sequential", {"search": "islands"}]}},
            FEW_TRIALS,
        ),
        ({"search": "composed", "composed": {"by": "share", "members": ["sequential", "best_of_n"]}}, {}),
        ({"search": "sequential"}, {}),
        ({"baseline": "sequential"}, {}),
        ({"seeds": "parents", "when_empty": "fresh", "migration_every": 0}, {}),
    ],
)
def test_a_search_is_told_what_suits_tens_of_trials_as_far_as_it_reads_it_and_nothing_else_is_said(
    compose, said, added
):
    assert islands_of(compose(overrides=say_of_islands(said))) == {**said, **added}


@pytest.mark.parametrize(
    ("given", "search"),
    [
        ({"settings": {"objectives": ("a", "b"), "confirm": 2}}, "pareto"),
        ({"settings": {"confirm": 2}, "overrides": ("plugins.islands.with.search=sequential",)}, "sequential"),
        (
            {
                "llm": "manual",
                "settings": {"confirm": 2},
                "overrides": ("plugins.islands.with.composed.members=[sequential, best_of_n]",),
            },
            "composed",
        ),
    ],
)
def test_a_search_without_a_best_has_nothing_that_confirmations_could_be_compared_with(compose, given, search):
    with pytest.raises(UserError, match=f"the search '{search}'( without islands)? compares with none: use --repeat"):
        compose(**given)


@pytest.mark.parametrize("search", ["composedd", ["islands"], {"by": 1}])
def test_a_search_that_there_is_none_of_is_left_to_the_plugin_that_knows_them(compose, search):
    words = say_of_islands({"search": search})
    assert islands_of(compose(settings={"confirm": 2}, overrides=words))["search"] == search
