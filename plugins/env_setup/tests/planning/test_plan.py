import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
from evograft_env_setup.environments import Environments
from evograft_env_setup.planning.plan import extract_environment_setup_info, plan_by_rules

ENVIRONMENTS = Environments.shipped()
SAMPLE = {
    "phase": "planning",
    "selected_environment": {
        "name": "python",
        "reason": "there is a list",
        "detected_files": ["requirements.txt", "setup.py"],
        "setup_commands": ["pip install --upgrade pip", "pip install -r requirements.txt"],
        "verification": [{"command": "python -c 'import sys; print(sys.version_info.major)'", "expected_output": "3"}],
    },
    "goal_understanding": {"goal": "G"},
    "task_decomposition": {"tasks": [1, 2]},
    "action_plan": {"actions": []},
}


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    (root / "requirements.txt").write_text("requests\n")
    (root / "package.json").write_text('{"name": "helper"}')
    return EnvironmentAnalyzer(root).analyze()


def extracted(analysis, **selected):
    return extract_environment_setup_info({"selected_environment": selected}, analysis, ENVIRONMENTS)


def test_the_specified_plan_is_taken_as_it_is(analysis):
    extraction = extract_environment_setup_info(SAMPLE, analysis, ENVIRONMENTS)
    assert extraction.warnings == ()
    assert extraction.plan.model_dump(mode="json") == SAMPLE


def test_a_plan_without_a_name_is_for_python(analysis):
    extraction = extracted(analysis, setup_commands=["x"])
    assert extraction.plan.selected_environment.name == "python"
    assert extraction.warnings == ("the plan names no environment; python is taken",)


@pytest.mark.parametrize("name", ["haskell", "Python", "", 7, ["node"]])
def test_an_unknown_environment_is_an_error_and_python_a_warning(analysis, name):
    extraction = extracted(analysis, name=name)
    assert extraction.plan.selected_environment.name == "python"
    assert extraction.warnings[0].startswith("error: ")


def test_commands_that_are_missing_are_the_defaults_of_the_chosen_environment(analysis):
    chosen = extracted(analysis, name="node").plan.selected_environment
    assert chosen.setup_commands == ("npm install",)
    assert chosen.verification[0].expected_output == "OK"


def test_a_plan_without_commands_or_without_verification_gets_those_of_the_rules(analysis):
    extraction = extracted(analysis, name="python", setup_commands=[], verification=[])
    assert extraction.plan.selected_environment.setup_commands
    assert extraction.plan.selected_environment.verification
    assert len(extraction.warnings) == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"setup_commands": "pip install x"},
        {"setup_commands": ["ok", 7]},
        {"setup_commands": ["  "]},
        {"setup_commands": ["a\x00b"]},
        {"setup_commands": ["x"] * 101},
        {"setup_commands": ["x" * 10_001]},
        {"verification": [{"command": "x"}]},
        {"verification": [{"command": "x", "expected_output": 3}]},
        {"verification": {"command": "x"}},
        {"reason": 3},
        {"detected_files": "all"},
    ],
)
def test_what_has_the_wrong_form_becomes_the_default_and_is_named(analysis, bad):
    extraction = extracted(analysis, name="python", **bad)
    right = extracted(analysis, name="python").plan
    assert extraction.plan == right
    assert next(iter(bad)) in extraction.warnings[0]


def test_a_plan_without_a_choice_leaves_it_to_the_rules(analysis):
    extraction = extract_environment_setup_info({"action_plan": {"a": 1}}, analysis, ENVIRONMENTS)
    assert extraction.plan.selected_environment == plan_by_rules(analysis).selected_environment
    assert extraction.plan.action_plan == {"a": 1}
    assert extraction.warnings


def test_the_rules_alone_give_a_plan(analysis):
    chosen = plan_by_rules(analysis).selected_environment
    assert (chosen.name, chosen.setup_commands) == ("python", analysis.setup_commands)
    assert chosen.verification[-1].command == "python -c 'import requests; print(\"SUCCESS\")'"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("name", "reason", "detected_files", "setup_commands", "verification"), JSON),
    )
)
def test_whatever_json_comes_a_plan_comes_of_it(analysis, selected):
    chosen = extracted(analysis, **selected).plan.selected_environment
    assert chosen.name in ENVIRONMENTS
    assert chosen.verification
    assert json.dumps(chosen.model_dump(mode="json"))
