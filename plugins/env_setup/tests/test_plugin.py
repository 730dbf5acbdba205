import subprocess
from types import SimpleNamespace

import pytest

from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.plan import SetupPlan
from evograft_env_setup.plugin import EnvSetupPlugin
from evograft_env_setup.setup.report import Execution, SetupFailure
from evograft_hookspecs import EnvironmentReport, Selection
from evograft_hookspecs.values import thaw

RAN = {"stdout": "", "stderr": "", "seconds": 1.0}


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
    assert SetupPlan.model_validate(thaw(answer.facts["plan"])).selected_environment.setup_commands == (
        "go mod download",
    )


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


@pytest.fixture
def no_engine(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text("requests\n")
    return tmp_path


@pytest.mark.parametrize("places", ["setup.md", ["setup.md"]])
def test_a_pipeline_reports_like_the_command(kit, no_engine, capsys, places):
    answer = report(kit, place="docker", report=places, language="ja")
    written = (no_engine / "setup.md").read_text(encoding="utf-8")
    assert "- エラー分類: fatal (docker)" in written
    assert "- エラー分類: fatal (docker)" in capsys.readouterr().err
    assert "no Docker engine answers" in answer.errors[-1]
    assert answer.facts["built"] is None


def test_what_was_run_is_among_the_facts_without_what_was_printed(kit, no_engine):
    answer = report(kit, place="docker")
    assert answer.facts["executions"] == ()
    execution = Execution(
        setup_result={"status": "failed", "commands": [{**RAN, "command": "install", "exit_code": 1, "attempts": 2}]},
        failure=SetupFailure(error_class="fixable", kind="name", line="install: exit code 1", message="a long one"),
    )
    assert execution.outline() == {
        "recalled": False,
        "setup": [{"command": "install", "exit_code": 1}],
        "verification": [],
        "trouble": "install: exit code 1",
    }


def test_a_place_that_nobody_can_report_to_keeps_the_run_from_starting(kit, no_engine):
    answer = report(kit, place="docker", report="nowhere/setup.md")
    assert (answer.status, answer.errors) == ("failed", ("report: 'nowhere/setup.md': its folder does not exist",))


def test_the_repository_of_a_pipeline_may_be_an_address_with_a_revision(kit, no_engine):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(no_engine)]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "a"], ["tag", "v1"]):
        subprocess.run([*git, *words], check=True)
    (no_engine / "requirements.txt").write_text("flask\n")
    answer = report(kit, root=f"file://{no_engine}", ref="v1")
    checks = [each["command"] for each in answer.facts["plan"]["selected_environment"]["verification"]]
    assert any("import requests" in command for command in checks)
    missing = report(kit, root=f"file://{no_engine}", ref="none")
    assert missing.status == "failed"
    assert "can't clone" in missing.errors[0]
