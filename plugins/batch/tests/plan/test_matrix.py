"""A batch file becomes every combination once, each under a name of its own that is safe as a folder."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_batch.plan.batch_file import parse_batch
from evograft_batch.plan.matrix import list_combinations, plan_runs
from evograft_batch.plan.naming import LONGEST_NAME, label_combinations, name_runs
from evograft_hookspecs.values import thaw

PIPELINE = {"plugins": ["lab"]}
KEYS = st.from_regex(r"[a-z_]{1,6}(\.[a-z0-9_]{1,6}){0,3}", fullmatch=True).filter(lambda key: key != "seed")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
PROBLEM_NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,10}", fullmatch=True)


def batch(**content):
    return parse_batch({"pipeline": PIPELINE, **content}, source="test")


def found(**content):
    return [
        (each.problem, thaw(each.settings), each.seed) for each in list_combinations(batch(**content), source="test")
    ]


def text_of(value):
    return json.dumps(value, sort_keys=True)


@st.composite
def matrices(draw):
    keys = draw(st.lists(KEYS, unique=True, max_size=3))
    # No key lies below another one.
    keys = [key for key in keys if not any(f"{key}.".startswith(f"{other}.") for other in keys if other != key)]
    values = st.lists(VALUES, min_size=1, max_size=3, unique_by=text_of)
    return {key: draw(values) for key in keys}


@given(
    matrix=matrices(),
    problems=st.lists(PROBLEM_NAMES, unique_by=str.casefold, max_size=3),
    seeds=st.lists(st.integers(0, 2**31), unique=True, max_size=3),
)
def test_every_combination_is_made_once_under_a_name_of_its_own(matrix, problems, seeds):
    made = batch(matrix=matrix, problems=[{"name": name} for name in problems], seeds=seeds)
    all_of_them = list_combinations(made, source="test")
    expected = math.prod(map(len, matrix.values())) * max(1, len(problems)) * max(1, len(seeds))
    assert len(all_of_them) == expected
    facts = {text_of([each.problem, thaw(each.settings), each.seed]) for each in all_of_them}
    assert len(facts) == expected
    names = name_runs(all_of_them)
    assert len({name.casefold() for name in names}) == expected
    assert names == name_runs(list_combinations(parse_batch(made.to_data(), source="lock"), source="lock"))
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._+-]*", name), name
        assert len(name) <= LONGEST_NAME + 9


@given(value=VALUES)
def test_a_value_reaches_the_pipeline_as_it_was_written(value):
    (run,) = plan_runs(batch(matrix={"plugins.lab.with.option": [value]}), source="test")
    assert text_of(thaw(run.pipeline.plugins[0].with_)["option"]) == text_of(value)


def test_runs_come_by_problem_then_by_settings_then_by_seed():
    made = found(problems=[{"name": "b"}, {"name": "a"}], matrix={"window": [4, 2]}, seeds=2)
    assert made == [
        (problem, {"window": window}, seed) for problem in ("b", "a") for window in (4, 2) for seed in (0, 1)
    ]


def test_what_is_more_particular_overrules_what_is_more_general():
    made = plan_runs(
        batch(
            set={"window": 3, "budget.trials": 7, "repairs": 0},
            problems=[{"name": "small", "set": {"window": 4}}, {"name": "large"}],
            include=[{"repairs": 2}],
            seeds=[5],
        ),
        source="test",
    )
    assert [run.name for run in made] == ["small_repairs-2_seed-5", "large_repairs-2_seed-5"]
    settings = [(run.pipeline.window, run.pipeline.budget.trials, run.pipeline.repairs) for run in made]
    assert settings == [(4, 7, 2), (3, 7, 2)]
    assert {run.pipeline.seed for run in made} == {5}


def test_exclude_leaves_out_and_include_adds():
    matrix = {"window": [2, 4], "repairs": [0, 1]}
    made = found(
        matrix=matrix,
        seeds=[0, 1],
        exclude=[{"window": 2, "repairs": 1}, {"window": 4, "seed": 1}],
        include=[{"window": 9}],
    )
    assert made == [
        ("", {"window": 2, "repairs": 0}, 0),
        ("", {"window": 2, "repairs": 0}, 1),
        ("", {"window": 4, "repairs": 0}, 0),
        ("", {"window": 4, "repairs": 1}, 0),
        ("", {"window": 9}, 0),
        ("", {"window": 9}, 1),
    ]


def test_a_batch_without_any_list_is_one_run():
    (run,) = plan_runs(batch(), source="test")
    assert run.name == "run"


def test_a_label_is_the_shortest_ending_that_is_no_others():
    labels = label_combinations(["plugins.a.with.size", "plugins.b.with.size", "budget.trials", "window", "x.window"])
    assert list(labels.values()) == ["a.with.size", "b.with.size", "trials", "window", "x.window"]


def test_names_that_would_be_the_same_are_told_apart():
    made = name_runs(list_combinations(batch(matrix={"llm.model": ["a/b", "a b", "A-b", "c"]}), source="test"))
    assert made[3] == "model-c"
    assert [name[:10] for name in made[:3]] == ["model-a-b-", "model-a-b-", "model-A-b-"]
    assert len(set(made)) == 4


MISTAKES = {
    "no pipeline": ({"pipeline": None}, ["`pipeline` or as `plugin`"]),
    "both": ({"plugin": "lab"}, ["`pipeline` or as `plugin`"]),
    "misspelt key": ({"matrx": {}}, ["unknown key 'matrx'", "did you mean 'matrix'"]),
    "misspelt key of a problem": ({"problems": [{"name": "a", "sett": {}}]}, ["did you mean 'set'"]),
    "no list": ({"matrix": {"window": 4}}, ["matrix: window", "as a list"]),
    "empty list": ({"matrix": {"window": []}}, ["matrix: window", "as a list"]),
    "value twice": ({"matrix": {"window": [4, 2, 4]}}, ["matrix.window", "4 is listed twice"]),
    "seed twice": ({"seeds": [1, 1]}, ["seeds", "1 is listed twice"]),
    "problem twice": ({"problems": [{"name": "a"}, {"name": "A"}]}, ["problems", "listed twice"]),
    "no seeds": ({"seeds": 0}, ["seeds", "from 1"]),
    "negative seed": ({"seeds": [-1]}, ["seeds.0"]),
    "seed as a setting": ({"matrix": {"seed": [1, 2]}}, ["under `seeds`"]),
    "seed in two places": ({"set": {"seed": 1}, "seeds": 2}, ["under `seeds`"]),
    "set and varied": ({"set": {"window": 8}, "matrix": {"window": [4, 2]}}, ["matrix.window would overrule window"]),
    "set below what is varied": (
        {"problems": [{"name": "a", "set": {"budget.trials": 5}}], "matrix": {"budget": [{"trials": 3}]}},
        ["matrix.budget would overrule budget.trials"],
    ),
    "varied twice": ({"matrix": {"budget.trials": [1], "budget": [{"trials": 3}]}}, ["would overrule"]),
    "exclude of what is not varied": ({"matrix": {"window": [4]}, "exclude": [{"windwo": 4}]}, ["did you mean 'window'"]),
    "no way to write a setting": ({"set": {"window=4": 4}}, ["set.window=4"]),
    "name that is a path": ({"name": "../up"}, ["name"]),
    "no parallel": ({"parallel": 0}, ["parallel", "greater than or equal to 1"]),
    "too many": (
        {"matrix": {f"plugins.lab.with.{letter}": list(range(30)) for letter in "abc"}},
        ["27000 runs", "10000 is the most"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_a_batch_file_is_said_with_its_key(content, words):
    with pytest.raises(UserError) as err:
        batch(**content)
    for word in words:
        assert word in str(err.value)


LATER = {
    "exclude of no value": ({"matrix": {"window": [4]}, "exclude": [{"window": 5}]}, ['no combination has {"window": 5}']),
    "nothing left": ({"matrix": {"window": [4]}, "exclude": [{"window": 4}]}, ["no combination is left"]),
    "included twice": ({"matrix": {"window": [4]}, "include": [{"window": 4}]}, ["in the matrix already"]),
    "wrong value": ({"matrix": {"window": [4, 0]}}, ["run window-0", "window", "greater than or equal to 1"]),
    "misspelt setting": ({"matrix": {"windwo": [4]}}, ["run windwo-4", "did you mean 'window'"]),
    "unknown plugin": ({"matrix": {"plugins.lba.with.x": [4]}}, ["run x-4", "did you mean 'lab'"]),
    "wrong pipeline": ({"pipeline": {**PIPELINE, "windwo": 4}}, ["test: pipeline", "did you mean 'window'"]),
}  # fmt: skip


@pytest.mark.parametrize(("content", "words"), LATER.values(), ids=LATER)
def test_a_mistake_in_a_combination_is_said_with_its_run(content, words):
    with pytest.raises(UserError) as err:
        plan_runs(batch(**content), source="test")
    for word in words:
        assert word in str(err.value)
