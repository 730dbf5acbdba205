from types import SimpleNamespace

from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.plan import Plan
from evograft_env_setup.plugin import EnvSetupPlugin
from evograft_hookspecs import EnvironmentReport, Selection
from evograft_hookspecs.values import thaw


def report(kit, *answers, role="kernel", place="none", **options):
    ctx = SimpleNamespace(role=role, llm=kit.Model(*answers, available=bool(answers)))
    return EnvSetupPlugin(EnvSetupOptions(place=place, **options)).setup_env(ctx)


def test_the_hook_hands_a_plan_on_and_says_that_nothing_was_built_if_no_place_is_wanted(kit, tmp_path):
    (tmp_path / "go.mod").write_text("module m\n\ngo 1.22\n")
    answer = report(kit, root=str(tmp_path))
    assert answer.status == "degraded"
    assert answer.done[0] == "environment go: there is go.mod"
    assert "planned, not built" in answer.done[-1]
    assert "hand_over" not in answer.facts
    assert Plan.model_validate(thaw(answer.facts["plan"])).selected_environment.setup_commands == ("go mod download",)


def test_the_runs_model_plans(kit, tmp_path):
    answer = report(kit, {"selected_environment": {"name": "node"}}, root=str(tmp_path), task="t")
    assert answer.facts["plan"]["selected_environment"]["name"] == "node"


def test_a_broken_manifest_is_among_the_errors(kit, tmp_path):
    (tmp_path / "package.json").write_text('{"name": ')
    assert any(error.startswith("package.json") for error in report(kit, root=str(tmp_path)).errors)


def test_the_same_repository_gives_the_same_report(kit, tmp_path):
    (tmp_path / "requirements.txt").write_text("requests\n")
    assert report(kit, root=str(tmp_path)) == report(kit, root=str(tmp_path))


def test_a_root_that_is_no_folder_keeps_the_run_from_starting(kit, tmp_path):
    answer = report(kit, root=str(tmp_path / "no"))
    assert (answer.status, len(answer.errors)) == ("failed", 1)


def test_a_worker_has_nothing_to_set_up(kit):
    assert report(kit, role="worker", root="nowhere") is None


def advice(facts):
    ctx = SimpleNamespace(environment={"env_setup": EnvironmentReport(status="degraded", facts=facts)})
    return EnvSetupPlugin(EnvSetupOptions()).propose(ctx, Selection())


def test_what_could_not_be_set_up_is_advice_for_whoever_writes_a_candidate():
    handed = {
        "environment_ready": False,
        "environment_name": "python",
        "setup_status": "failed",
        "errors": ["no package numpyy"],
    }
    (given,) = advice({"hand_over": handed})
    assert given.id == "env_setup.execution"
    assert "Setup status: failed" in given.text
    assert "no package numpyy" in given.text


def test_where_it_was_only_planned_there_is_no_advice():
    assert advice({"plan": {}}) is None
