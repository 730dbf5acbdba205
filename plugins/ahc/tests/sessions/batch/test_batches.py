"""Every combination of settings and problems is a session of its own."""

import csv
import json

import pytest
import yaml

from evograft.errors import UserError
from evograft_ahc.sessions.batch.file import LONGEST_NAME, plan_sessions, read_batch
from evograft_ahc.sessions.batch.plan import build_batch
from evograft_ahc.workspace.end_record import ContestEndRecord, save_end_record
from evograft_ahc.workspace.folder import TASK_FILE


@pytest.fixture
def write(workspace, tmp_path):
    def write(**content):
        file = tmp_path / "sweep.yaml"
        file.write_text(yaml.safe_dump({"problems": [workspace.folder.name], **content}, sort_keys=False))
        return file

    return write


def plan(file):
    return plan_sessions(read_batch(file), file)


def test_all_combinations_are_planned_with_readable_names(write):
    matrix = {"llm.model": ["gpt-4o", "gpt-5-mini"], "evolution.population_size": [5, 10]}
    planned = plan(write(matrix=matrix, settings={"llm.provider": "none"}))
    assert [each.name for each in planned] == [
        "practice001_model-gpt-4o_population_size-5",
        "practice001_model-gpt-4o_population_size-10",
        "practice001_model-gpt-5-mini_population_size-5",
        "practice001_model-gpt-5-mini_population_size-10",
    ]
    assert [each.settings.evolution.population_size for each in planned] == [5, 10, 5, 10]
    assert {each.settings.llm.provider for each in planned} == {"none"}


def test_the_settings_of_a_workspace_hold_where_the_batch_says_nothing(write, workspace):
    workspace.config.write_text("evolution: {max_generations: 3, population_size: 3}\n")
    (session,) = plan(write(settings={"evolution.population_size": 4}))
    assert session.settings.evolution.max_generations == 3
    assert session.settings.evolution.population_size == 4


def test_a_long_name_is_cut_and_stays_its_own(write):
    models = [f"provider/{'x' * 80}-{number}" for number in range(3)]
    names = [each.name for each in plan(write(matrix={"llm.model": models}))]
    assert len(set(names)) == 3
    assert all(len(name) <= LONGEST_NAME for name in names)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"matrix": {"llm.modle": ["x"]}}, "unknown setting 'llm.modle'"),
        ({"matrix": {"llm.model": []}}, "llm.model: there is no value"),
        ({"matrix": {"evolution.population_size": [0]}}, "evolution.population_size"),
        ({"settings": {"llm.api_key": "sk-very-secret"}}, "environment variable"),
        ({"matrx": {}}, "unknown key 'matrx'"),
        ({"problems": []}, "problems"),
        ({"problems": ["practice001", "practice001"]}, "twice"),
        ({"problems": ["../nowhere"]}, "no workspace"),
    ],
)
def test_what_a_batch_may_not_say_is_named(write, content, said):
    with pytest.raises(UserError, match=said):
        plan(write(**content))


def test_a_problem_that_is_no_workspace_is_named_also_inside_another_one(write, workspace):
    file = write(problems=["nope"])
    inside = file.replace(workspace.folder / file.name)
    with pytest.raises(UserError, match="nope' is no workspace"):
        plan(inside)


def test_sessions_are_told_apart_by_what_they_change_of_the_first(write, workspace):
    task = workspace.folder / TASK_FILE
    task.write_text(task.read_text().replace("practice001", "own001"))
    save_end_record(workspace, ContestEndRecord(contests=("own001",), source="stated"))
    file = write(
        matrix={"evolution.population_size": [5, 10]},
        settings={"llm.provider": "none"},
        pipeline={"plugins.ahc.with.training_cases": 4},
        seeds=[1, 2],
    )
    batch = read_batch(file)
    data = build_batch(batch, plan_sessions(batch, file), name="batch")
    assert [each["set"] for each in data["problems"]] == [
        {},
        {"generation_size": 10, "budget": {**data["pipeline"]["budget"], "plateau": 50}},
    ]
    options = data["pipeline"]["plugins"][0]["with"]
    assert options["training_cases"] == 4
    assert options["earlier_sessions"] is False
    assert data["seeds"] == [1, 2]


def test_a_batch_runs_its_sessions_and_has_one_table(practice, evo, tmp_path):
    few = {"plugins.ahc.with.training_cases": 2, "plugins.ahc.with.held_out_cases": 1, "budget.trials": 1}
    content = {
        "problems": [practice.folder.name],
        "matrix": {"evolution.population_size": [4, 5]},
        "pipeline": few,
        "parallel": 2,
    }
    file = tmp_path / "sweep.yaml"
    file.write_text(yaml.safe_dump(content))
    rows = json.loads(evo("ahc", "batch", file, "--json").stdout)
    assert [row["evolution.population_size"] for row in rows] == [4, 5]
    assert {row["state"] for row in rows} == {"complete"}
    assert all(row["best_score"] > 0 for row in rows)
    with (tmp_path / "sweep" / "sessions.csv").open() as table:
        assert [row["session"] for row in csv.DictReader(table)] == [row["session"] for row in rows]
    again = evo("ahc", "batch", file, "--json")
    assert json.loads(again.stdout) == rows
