import pytest

from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
from evograft_env_setup.environments import Environments
from evograft_env_setup.planning.plan import plan_by_rules
from evograft_env_setup.planning.planner import Planner
from evograft_hookspecs import LlmRefused

CHOICE = {"name": "node", "setup_commands": ["npm ci"], "verification": [{"command": "x", "expected_output": "OK"}]}


@pytest.fixture
def analysis(tmp_path):
    (tmp_path / "requirements.txt").write_text("requests\n")
    return EnvironmentAnalyzer(tmp_path).analyze()


def planned(analysis, llm=None, task=""):
    return Planner(Environments.shipped(), llm=llm, task=task).plan(analysis)


def test_a_model_plans_with_the_files_and_the_task_before_it(analysis, kit):
    model = kit.Model({"phase": "planning", "selected_environment": CHOICE, "goal_understanding": {"goal": 1}})
    extraction = planned(analysis, model, task="Port it to Node.")
    assert extraction.plan.selected_environment.setup_commands == ("npm ci",)
    assert extraction.plan.goal_understanding == {"goal": 1}
    assert "Port it to Node." in model.prompts[0]
    assert "requests" in model.prompts[0]
    assert model.requests[0].messages[0].role == "system"


@pytest.mark.parametrize("fence", ['{} {"a": 1} ```json\n%s\n```', "<think>{}</think>%s", "Here: %s. Done."])
def test_the_plan_is_found_among_what_models_write_around_it(analysis, kit, fence):
    answer = fence % '{"selected_environment": {"name": "go"}}'
    assert planned(analysis, kit.Model(answer)).plan.selected_environment.name == "go"


@pytest.mark.parametrize("answer", ["", "no", "{" * 10_000, '{"selected_environment": NaN}', LlmRefused("no")])
def test_without_a_plan_of_the_model_the_rules_plan_and_that_is_said(analysis, kit, answer):
    extraction = planned(analysis, kit.Model(answer))
    assert extraction.plan == plan_by_rules(analysis)
    assert "the rules do" in extraction.warnings[0]


def test_without_a_model_the_rules_plan_without_a_warning(analysis, kit):
    for llm in (None, kit.Model(available=False)):
        assert planned(analysis, llm).plan == plan_by_rules(analysis)
        assert planned(analysis, llm).warnings == ()
