from contextlib import closing

import pytest

from evograft_env_setup.planning.prompts import execution_prompt
from evograft_env_setup.setup.manager import EnvironmentSetupManager

OK = (0, "OK\n", "")
DNS = (1, "", "fatal: unable to access 'https://a.example/': Could not resolve host: a.example\n")
BUSY = (100, "", "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4 (apt-get)\n")
DOWN = (22, "", "curl: (22) The requested URL returned error: 503\n")
WRONG_NAME = (1, "", "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/expresss\n")
DISK = (1, "", "OSError: [Errno 28] No space left on device\n")
MYSTERY = (9, "", "zorp\n")


def executed(kit, sandbox, plan, **options):
    waits = []
    manager = EnvironmentSetupManager(sandbox, "/project", kit.progress, sleep=waits.append, **options)
    return manager.execute(plan), waits


def test_a_plan_that_works_is_carried_out_once_in_order(kit):
    sandbox = kit.Sandbox({"check": [OK]})
    report, waits = executed(kit, sandbox, kit.environment("one", "two"))
    assert sandbox.calls == ["start", "bring /project", "one", "two", "check"]
    assert waits == []
    assert report.hand_over().model_dump() == {
        "environment_ready": True,
        "environment_name": "python",
        "setup_status": "success",
        "errors": (),
    }
    assert kit.listener.status.phases["environment_setup"] == "completed"


def test_what_an_earlier_set_up_left_is_verified_and_not_made_again(kit):
    plan = kit.environment("install")
    sandbox = kit.Sandbox({"check": [OK]}, remembered=plan)
    report, _ = executed(kit, sandbox, plan)
    assert sandbox.calls == ["start", "bring /project", "check"]
    assert report.to_dict()["setup_result"]["recalled"]
    assert report.hand_over().environment_ready


def test_what_an_earlier_set_up_left_is_made_again_if_it_does_not_verify(kit):
    plan = kit.environment("install")
    sandbox = kit.Sandbox({"check": [(1, "", "gone"), OK]}, remembered=plan)
    report, _ = executed(kit, sandbox, plan)
    assert sandbox.calls == ["start", "bring /project", "check", "install", "check"]
    assert not report.to_dict()["setup_result"]["recalled"]
    assert report.hand_over().environment_ready


def test_what_was_corrected_is_recalled_by_the_same_plan_and_verified_as_it_was_corrected(kit):
    sandbox = kit.Sandbox({"check": [OK], "check again": [OK], "wrong": [WRONG_NAME]})
    corrected = {"setup_commands": ["right"], "verification": [{"command": "check again", "expected_output": "OK"}]}
    first, _ = executed(kit, sandbox, kit.environment("wrong"), llm=kit.Model(corrected))
    assert first.plan.setup_commands == ("right",)
    sandbox.calls.clear()
    second, _ = executed(kit, sandbox, kit.environment("wrong"))
    assert sandbox.calls == ["start", "bring /project", "check again"]
    assert second.plan == first.plan


def test_what_does_not_work_is_not_remembered(kit):
    broken = kit.Sandbox({"wrong": [WRONG_NAME]})
    executed(kit, broken, kit.environment("wrong"))
    assert broken.remembered == (None, None)


def test_the_verification_alone_may_be_corrected(kit):
    sandbox = kit.Sandbox({"check": [(0, "3.11", "")], "check major": [OK]})
    model = kit.Model({"verification": [{"command": "check major", "expected_output": "OK"}]})
    report, _ = executed(kit, sandbox, kit.environment("one"), llm=model)
    assert (report.overall_status, report.regenerations) == ("success", 1)
    assert report.plan.setup_commands == ("one",)


def test_no_commands_at_all_are_no_correction_and_the_next_question_says_so(kit):
    sandbox = kit.Sandbox({"bad": [MYSTERY], "check": [OK]})
    model = kit.Model({"setup_commands": []}, {"setup_commands": ["good"]})
    report, _ = executed(kit, sandbox, kit.environment("bad"), llm=model)
    assert (report.overall_status, report.regenerations) == ("success", 2)
    assert "Your last answer was of no use: the model's setup_commands are empty" in model.prompts[1]


def test_what_should_be_known_about_the_place_is_a_warning(kit):
    executed(kit, kit.Sandbox({"check": [OK]}, notes=("no container",)), kit.environment("one"))
    assert kit.listener.status.warnings == ("no container",)


def test_the_result_has_the_four_entries(kit):
    report, _ = executed(kit, kit.Sandbox({"check": [OK]}), kit.environment("one"))
    result = report.to_dict()
    assert list(result) == ["overall_status", "setup_result", "verification_result", "errors"]
    assert result["overall_status"] == "success"
    assert result["setup_result"]["commands"][0] == {
        "command": "one",
        "exit_code": 0,
        "stdout": "",
        "stderr": "",
        "seconds": 0.5,
        "attempts": 1,
    }
    assert result["verification_result"]["commands"][0]["matches"]


def test_the_network_is_on_for_setup_and_off_for_verification(kit):
    sandbox = kit.Sandbox({"check": [OK]})
    executed(kit, sandbox, kit.environment("one"))
    assert sandbox.networks == {"one": True, "check": False}


@pytest.mark.parametrize(("failure", "expected"), [(DNS, [5, 10, 20]), (DOWN, [10, 10, 10]), (BUSY, [3, 3, 3, 3, 3])])
def test_what_passes_is_waited_for_as_specified_and_then_given_up(kit, failure, expected):
    sandbox = kit.Sandbox({"two": [failure], "check": [OK]})
    report, waits = executed(kit, sandbox, kit.environment("one", "two"))
    assert waits == expected
    assert sandbox.calls.count("one") == 1
    assert sandbox.calls.count("two") == 1 + len(expected)
    assert report.executions[0].setup_result.commands[1].attempts == 1 + len(expected)
    assert report.executions[0].failure.error_class == "fixable"


def test_a_lock_that_is_freed_heals(kit):
    sandbox = kit.Sandbox({"install": [BUSY, BUSY, OK], "check": [OK]})
    report, waits = executed(kit, sandbox, kit.environment("install"))
    assert (report.overall_status, waits, report.retries) == ("success", [3, 3], {"lock": 2})


def test_each_kind_of_failure_is_counted_on_its_own(kit):
    sandbox = kit.Sandbox({"install": [DNS, BUSY, DNS, DOWN, DNS, OK], "check": [OK]})
    report, waits = executed(kit, sandbox, kit.environment("install"))
    assert (report.overall_status, waits) == ("success", [5, 3, 10, 10, 20])


def test_each_command_is_counted_on_its_own(kit):
    sandbox = kit.Sandbox({"one": [DNS, DNS, OK], "two": [DNS, DNS, OK], "check": [OK]})
    report, waits = executed(kit, sandbox, kit.environment("one", "two"))
    assert (report.overall_status, waits) == ("success", [5, 10, 5, 10])


def test_maven_is_told_to_forget_when_it_is_tried_again(kit):
    sandbox = kit.Sandbox({"mvn install": [DNS], "check": [OK]})
    executed(kit, sandbox, kit.environment("mvn install"))
    assert sandbox.calls[2:4] == ["mvn install", "mvn -U install"]


def test_a_wrong_name_is_corrected_by_the_model_in_the_same_place(kit):
    sandbox = kit.Sandbox({"npm install expresss": [WRONG_NAME], "check": [OK]})
    model = kit.Model({"setup_commands": ["npm install express"]})
    report, _ = executed(kit, sandbox, kit.environment("first", "npm install expresss"), llm=model)
    assert sandbox.calls == [
        "start",
        "bring /project",
        "first",
        "npm install expresss",
        "npm install express",
        "check",
    ]
    assert (report.overall_status, report.regenerations, report.errors) == ("success", 1, ())
    assert report.executions[0].failure.kind == "name"
    assert "npm install expresss" in model.prompts[0]
    assert "E404" in model.prompts[0]


def test_there_are_at_most_four_executions(kit):
    sandbox = kit.Sandbox({f"try {n}": [MYSTERY] for n in range(9)})
    model = kit.Model(*({"setup_commands": [f"try {n}"]} for n in range(1, 9)))
    report, _ = executed(kit, sandbox, kit.environment("try 0"), llm=model)
    assert sandbox.calls[2:] == ["try 0", "try 1", "try 2", "try 3"]
    assert (report.overall_status, report.regenerations, len(report.executions)) == ("failed", 3, 4)
    assert len(report.errors) == 4


def test_setup_and_verification_share_their_corrections(kit):
    sandbox = kit.Sandbox({"bad": [MYSTERY], "check": [(0, "no", "")]})
    model = kit.Model(
        {"setup_commands": ["good"]},
        {"setup_commands": ["bad"]},
        {"setup_commands": ["good"]},
        {"setup_commands": ["never"]},
    )
    report, _ = executed(kit, sandbox, kit.environment("bad"), llm=model)
    assert sandbox.calls[2:] == ["bad", "good", "check", "bad", "good", "check"]
    assert (report.overall_status, report.regenerations) == ("failed", 3)
    said = "verification: check: prints something else than was expected"
    assert [error for error in report.errors if error.startswith("verification")] == [said, said]


def test_a_verification_that_fails_starts_again_from_the_first_command(kit):
    sandbox = kit.Sandbox({"check": [(0, "3.11\n", "")], "check major": [(0, "3\n", "")]})
    corrected = {
        "setup_commands": ["one", "two"],
        "verification": [{"command": "check major", "expected_output": "3"}],
    }
    model = kit.Model(corrected)
    plan = kit.environment("one", verification=[("check", "3")])
    report, _ = executed(kit, sandbox, plan, llm=model)
    assert sandbox.calls[2:] == ["one", "check", "one", "two", "check major"]
    assert report.overall_status == "success"
    assert 'character 2: expected nothing, printed ".11"' in model.prompts[0]


def test_answers_of_no_use_are_corrections_that_are_used_up(kit):
    sandbox = kit.Sandbox({"bad": [MYSTERY], "check": [OK]})
    model = kit.Model("I can't.", {"setup_commands": "no list"}, {"setup_commands": ["good"]})
    report, _ = executed(kit, sandbox, kit.environment("bad"), llm=model)
    assert (report.overall_status, report.regenerations) == ("success", 3)
    assert len(kit.listener.status.warnings) == 2


def test_a_model_that_refuses_leaves_the_failure(kit):
    report, _ = executed(kit, kit.Sandbox({"bad": [MYSTERY]}), kit.environment("bad"), llm=kit.Model())
    assert (report.overall_status, report.regenerations) == ("failed", 3)


@pytest.mark.parametrize("available", [None, False])
def test_without_a_model_nothing_is_corrected_and_that_is_said(kit, available):
    model = None if available is None else kit.Model(available=False)
    report, _ = executed(kit, kit.Sandbox({"bad": [MYSTERY]}), kit.environment("bad"), llm=model)
    assert (report.overall_status, report.regenerations, len(report.executions)) == ("failed", 0, 1)
    assert kit.listener.status.warnings == ("no model is set that could correct the commands",)


def test_what_is_fatal_is_not_asked_about(kit):
    model = kit.Model({"setup_commands": ["other"]})
    report, waits = executed(kit, kit.Sandbox({"bad": [DISK]}), kit.environment("bad", "never"), llm=model)
    assert (report.overall_status, waits, model.requests) == ("failed", [], [])
    assert report.executions[0].failure.error_class == "fatal"
    assert len(report.executions[0].setup_result.commands) == 1
    assert report.executions[0].verification_result.status == "skipped"


def test_a_place_that_cannot_be_had_is_fatal(kit):
    sandbox = kit.Sandbox(broken="Cannot connect to the Docker daemon")
    report, _ = executed(kit, sandbox, kit.environment("one"), llm=kit.Model())
    assert sandbox.calls == ["start"]
    assert report.to_dict()["setup_result"]["status"] == "failed"
    assert report.errors == ("Cannot connect to the Docker daemon",)
    assert "fatal (docker)" in kit.listener.status.comment


def test_a_clone_that_fails_for_the_network_is_tried_again_without_starting_again(kit):
    sandbox = kit.Sandbox({"check": [OK]}, brought=[DNS, OK])
    report, waits = executed(kit, sandbox, kit.environment("one"))
    assert sandbox.calls == ["start", "bring /project", "bring /project", "one", "check"]
    assert (report.overall_status, waits) == ("success", [5])


def test_a_project_that_is_not_there_is_no_question_to_the_model(kit):
    missing = (128, "", "fatal: repository 'https://a.example/x/' not found\n")
    model = kit.Model()
    report, _ = executed(kit, kit.Sandbox(brought=[missing]), kit.environment("one"), llm=model)
    assert (report.overall_status, model.requests, report.executions) == ("failed", [], ())


def test_failure_posts_the_comment_and_leaves_the_phase_incomplete(kit):
    sandbox = kit.Sandbox({"install": [DNS]})
    model = kit.Model({"setup_commands": ["install"]})
    kit.progress.language = "ja"
    report, _ = executed(kit, sandbox, kit.environment("install"), llm=model)
    status = kit.listener.status
    assert status.phases["environment_setup"] == "active"
    assert "- ネットワークリトライ回数: 6" in status.comment
    assert "- LLM再生成回数: 3/3" in status.comment
    assert "- エラー分類: retryable (network), retries used up" in status.comment
    assert "Could not resolve host" in status.comment
    assert "Setup status: failed" in execution_prompt(report.hand_over())


def test_no_result_prompt_or_comment_holds_a_key(kit):
    key = "ghp_0123456789abcdefghijABCDEFGHIJ"
    sandbox = kit.Sandbox({"bad": [(9, key, f"zorp {key}")], "check": [(0, key, key)]})
    model = kit.Model({"setup_commands": ["good"]})
    report, _ = executed(kit, sandbox, kit.environment("bad"), llm=model)
    told = (*model.prompts, report.model_dump_json(), str(report.to_dict()), kit.listener.status.comment)
    assert all(key not in text for text in (*told, *kit.listener.news))


def test_ctrl_c_during_a_command_leaves_nothing(kit):
    sandbox = kit.Sandbox({"one": [KeyboardInterrupt()]})
    with pytest.raises(KeyboardInterrupt), closing(sandbox):
        executed(kit, sandbox, kit.environment("one"))
    assert sandbox.closed


def test_a_place_that_is_lost_meanwhile_is_fatal(kit):
    from evograft_env_setup.sandbox import SetupSandboxUnavailable

    report, _ = executed(kit, kit.Sandbox({"one": [SetupSandboxUnavailable("it is gone")]}), kit.environment("one"))
    assert (report.overall_status, report.errors) == ("failed", ("it is gone",))


def test_a_real_shell_sets_up_and_verifies(kit, tmp_path):
    plan = kit.environment("echo made > file", verification=[("cat file", "made")])
    report, _ = executed(kit, kit.Shell(tmp_path), plan)
    assert report.overall_status == "success"


def test_pip_is_asked_what_it_hides_before_its_word_about_a_name_is_taken(kit):
    hidden = (
        1,
        "",
        (
            "ERROR: Could not find a version that satisfies the requirement a (from versions: none)\n"
            "ERROR: No matching distribution found for a\n"
        ),
    )
    sandbox = kit.Sandbox({"pip install a": [hidden, OK], "check": [OK]})
    report, waits = executed(kit, sandbox, kit.environment("pip install a"))
    assert (report.overall_status, waits, report.retries) == ("success", [10], {"server": 1})
    assert "PIP_VERBOSE=2" in sandbox.calls[3]
