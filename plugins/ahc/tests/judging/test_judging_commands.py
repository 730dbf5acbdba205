"""`evo ahc test`, `compare` and `docker`, as a person in a workspace uses them."""

from __future__ import annotations

import json
import signal
import stat
import subprocess

import pytest
from click.testing import CliRunner
from python_process import PythonProcess

from evograft.errors import ServiceError, UserError
from evograft_ahc.commands import ahc

ECHO = '#!/bin/sh\nread answer < "$2"; echo "Score = $answer" >&2\n'
NUMBERS = [str(number * 10) for number in range(1, 9)]
AROUND = '#include <cstdio>\nint main() { int n; scanf("%d", &n); PRINT }\n'


def program(folder, name, statement):
    (folder / name).write_text(AROUND.replace("PRINT", statement))
    return name


@pytest.fixture
def workspace(contest, monkeypatch):
    made = contest(*NUMBERS, scorer=ECHO)
    monkeypatch.chdir(made.folder)
    program(made.folder, "same.cpp", 'printf("%d\\n", n);')
    program(made.folder, "more.cpp", 'printf("%d\\n", n + 3 + n % 3);')
    program(made.folder, "mixed.cpp", 'printf("%d\\n", n % 20 ? n + 1 : n - 1);')
    program(made.folder, "failing.cpp", 'if (n > 60) return 9; printf("%d\\n", n);')
    return made


@pytest.fixture
def call(judge_of, workspace, strongest):
    judge_of(workspace)  # skips where there is no sandbox or compiler

    def called(*arguments, seeds="0-7"):
        options = ("--sandbox", strongest, "--seeds", seeds)
        result = CliRunner().invoke(ahc, [*arguments, *options], catch_exceptions=True)
        if isinstance(result.exception, UserError | ServiceError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result

    return called


def test_a_program_is_tested_case_by_case(call):
    said = call("test", "failing.cpp").stdout
    assert said.startswith("judge profile 202301: g++, GCC ")
    lines = said[said.index("case ") :].splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["0000", "score", "10"],
        ["0001", "score", "20"],
        ["0002", "score", "30"],
    ]
    assert "6 of 8 cases scored, sum 210, mean 35" in "\n".join(lines)
    assert lines[-4] == "runtime_error: 2 cases, 0006 0007"
    assert lines[-3].startswith("it is not known whether this is a short contest")
    assert lines[-1] == "what it printed on each case: 'out/failing.cpp'"
    assert "ended with exit status 9" in lines[7]


def test_nothing_that_a_program_says_steers_the_terminal(call, workspace):
    program(workspace.folder, "loud.cpp", 'fputs("\\033[2Jgone\\n", stderr); return 3;')
    assert "ended with exit status 3; ␛[2Jgone" in call("test", "loud.cpp").stdout


def test_a_test_can_be_read_by_a_program(call):
    data = json.loads(call("test", "failing.cpp", "--json").stdout)
    assert [each["score"] for each in data["cases"]] == [10, 20, 30, 40, 50, 60, None, None]
    assert (data["sum"], data["mean"]) == (210, 35)
    assert data["failed"] == {"runtime_error": ["0006", "0007"]}


def test_in_a_short_contest_a_failed_case_is_said_to_take_all_others_along(call, workspace):
    task = workspace.folder / "task.json"
    task.write_text(task.read_text().replace('"format":null', '"format":"short"'))
    assert call("test", "failing.cpp").stdout.splitlines()[-3].endswith("makes the whole submission worth 0")


def test_a_program_that_does_not_compile_is_the_users_mistake(call, workspace):
    (workspace.folder / "broken.cpp").write_text("int main() { nonsense; }")
    with pytest.raises(UserError, match=r"'broken\.cpp' does not compile: broken\.cpp:1:14: error: .nonsense"):
        call("test", "broken.cpp")


def test_a_scorer_that_fails_is_no_mistake_of_the_users(call, workspace):
    (workspace.folder / "tools" / "judge").write_text("#!/bin/sh\nexit 5\n")
    with pytest.raises(
        ServiceError, match="own scorer failed in 8 cases, which is not the program's fault; 0000: "
    ) as failed:
        call("test", "same.cpp")
    assert failed.value.exit_code == 4


def test_the_better_of_two_programs_is_named_with_an_interval(call):
    data = json.loads(call("compare", "same.cpp", "more.cpp", "--json").stdout)
    assert [each["difference"] for each in data["cases"]] == [4, 5, 3, 4, 5, 3, 4, 5]
    assert data["winner"] == "B"
    assert data["mean_difference"] == 4.125
    low, high = data["interval_95"]
    assert 3 < low < 4.125 < high < 5
    assert json.loads(call("compare", "more.cpp", "same.cpp", "--json").stdout)["winner"] == "A"


def test_two_programs_that_do_not_differ_on_average_are_undecided(call):
    said = call("compare", "same.cpp", "mixed.cpp").stdout
    lines = said[said.index("case ") :].splitlines()
    assert lines[1].split() == ["0000", "10", "11", "+1"]
    assert lines[-2].startswith("B is better in 4 cases, worse in 4, even in 0; mean difference +0 [")
    assert lines[-1] == "undecided: run more cases"


def test_a_comparison_says_which_file_is_which(call):
    assert "\nA is 'same.cpp', B is 'more.cpp'\ncase " in call("compare", "same.cpp", "more.cpp").stdout


def test_nothing_is_to_be_decided_between_two_files_with_the_same_source(call, workspace):
    (workspace.folder / "copy.cpp").write_bytes((workspace.folder / "same.cpp").read_bytes())
    for other in ("same.cpp", "copy.cpp"):
        assert call("compare", "same.cpp", other).stdout.splitlines()[-1] == (
            "A and B have the same source: nothing to decide"
        )
    CliRunner().invoke(ahc, ["config", "language", "ja"])
    lines = call("compare", "same.cpp", "copy.cpp").stdout.splitlines()
    assert lines[-1].startswith("A と B は同じソース")
    assert "A は 'same.cpp'、B は 'copy.cpp'" in lines


def test_programs_that_are_worth_the_same_in_every_case_are_said_to_be(call, workspace):
    program(workspace.folder, "alike.cpp", 'printf("%d \\n", n);')
    lines = call("compare", "same.cpp", "alike.cpp").stdout.splitlines()
    assert lines[-1].startswith("undecided: both are worth the same in every case; ")
    one = call("compare", "same.cpp", "more.cpp", seeds="0").stdout.splitlines()
    assert one[-2].startswith("B is better in 1 case, worse in 0, even in 0;")
    assert one[-1] == "undecided: run more cases"


def test_where_less_is_better_the_smaller_wins(call, workspace):
    task = workspace.folder / "task.json"
    task.write_text(task.read_text().replace('"direction":"max"', '"direction":"min"'))
    assert json.loads(call("compare", "same.cpp", "more.cpp", "--json").stdout)["winner"] == "A"


def test_a_case_that_fails_counts_against_its_program(call):
    said = call("compare", "failing.cpp", "same.cpp").stdout
    lines = said[said.index("case ") :].splitlines()
    assert lines[7].split() == ["0006", "runtime_error", "70", "+70"]
    assert lines[-2].startswith("B is better in 2 cases, worse in 0, even in 6")


@pytest.mark.parametrize("numbers", ["", "x", "-1", "1--5", "0-1000000", "1,,2"])
def test_numbers_of_cases_that_are_none_are_refused(workspace, numbers):
    result = CliRunner().invoke(ahc, ["test", "same.cpp", "--seeds", numbers])
    assert isinstance(result.exception, UserError)
    assert "write numbers of cases as 0-99" in str(result.exception)


def test_a_range_of_cases_that_goes_backwards_is_named_with_the_right_one(workspace):
    result = CliRunner().invoke(ahc, ["test", "same.cpp", "--seeds", "0,5-1"])
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == "--seeds '5-1' goes backwards: write 1-5"
    CliRunner().invoke(ahc, ["config", "language", "ja"])
    result = CliRunner().invoke(ahc, ["test", "same.cpp", "--seeds", "5-1"])
    assert str(result.exception) == "--seeds '5-1' は順序が逆です。1-5 と書いてください"


def test_standings_that_are_not_in_order_are_named_before_a_program_is_run(call, workspace):
    (workspace.folder / "st.csv").write_text("rank,score\n1,10\n2,20\n")
    CliRunner().invoke(ahc, ["config", "scores.standings", "st.csv"])
    with pytest.raises(UserError, match="rank 2 has a better score"):
        call("test", "same.cpp")
    assert json.loads(CliRunner().invoke(ahc, ["history", "--json"]).stdout) == []


def test_one_case_is_no_plural(call):
    said = call("test", "same.cpp", seeds="0").stdout
    assert "1 of 1 case scored, " in said
    assert "1 run of 1 program on 1 case\n" in CliRunner().invoke(ahc, ["scores"]).stdout
    call("test", "more.cpp", seeds="0")
    assert "same.cpp@" in (shown := CliRunner().invoke(ahc, ["scores", "same.cpp"]).stdout)
    assert "is behind on 1 case; most on:\n" in shown
    assert "runtime_error: 1 case, 0006\n" in call("test", "failing.cpp", seeds="6").stdout


def test_cases_without_an_input_are_named(workspace):
    result = CliRunner().invoke(ahc, ["test", "same.cpp", "--seeds", "3,5-12"])
    assert isinstance(result.exception, UserError)
    assert "there are no inputs 0008 to 0012" in str(result.exception)


def test_programs_are_judged_by_hand_whether_or_not_the_contest_is_over(workspace):
    task = workspace.folder / "task.json"
    task.write_text(task.read_text().replace("own001", "ahc999"))
    result = CliRunner().invoke(ahc, ["test", "same.cpp", "--seeds", "0"])
    assert result.exception is None


@pytest.fixture
def docker_calls(workspace, monkeypatch, tmp_path):
    """A `docker` that writes down how it was called, and answers what the test says."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "docker").write_text(f'#!/bin/sh\necho "$@" >> {folder}/calls\ncat {folder}/answer 2>/dev/null\nexit 0\n')
    (folder / "docker").chmod((folder / "docker").stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def called(*arguments, answer=""):
        (folder / "answer").write_text(answer)
        result = CliRunner().invoke(ahc, ["docker", *arguments])
        calls = (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []
        (folder / "calls").unlink(missing_ok=True)
        return result, calls

    return called


def test_an_image_is_built_for_a_profile_on_the_image_that_serves_it(docker_calls, workspace):
    result, (_, call) = docker_calls("build", "--profile", "202510", "--json")
    assert json.loads(result.stdout.splitlines()[-1]) == {"image": "ahc-own001:202510", "base": "gcc:15"}
    assert call.startswith("build --tag ahc-own001:202510 --build-arg BASE_IMAGE=gcc:15 --label ")
    assert call.endswith(str(workspace.folder))


def test_the_image_to_work_in_is_built_on_that_of_the_settings(docker_calls, workspace):
    result, (_, call) = docker_calls("build")
    assert result.stdout.endswith("to judge programs in an image of the judge: evo ahc docker build --profile 202301\n")
    assert "--tag ahc-own001:latest --build-arg BASE_IMAGE=mcr.microsoft.com/devcontainers/cpp:0-bullseye" in call
    (workspace.folder / "ahc_config.yaml").write_text("docker: {image: mine}\n")
    _, (_, call) = docker_calls("build")
    assert "BASE_IMAGE=mine" in call
    result, _ = docker_calls("build", "--profile", "202301")
    assert result.stdout.endswith("to judge programs in it: evo ahc config docker.image ahc-own001:202301\n")


def test_a_shell_in_the_image_sees_the_workspace_and_no_network(docker_calls, workspace):
    result, (_, call) = docker_calls("run", "--", "make", "-j2", answer="123\n")
    assert result.exit_code == 0
    assert "--network none --cap-drop ALL --security-opt no-new-privileges" in call
    assert f"--volume {workspace.folder}:/workspace --workdir /workspace ahc-own001:latest make -j2" in call


def test_an_image_that_was_never_built_is_named_with_the_command_that_builds_it(docker_calls):
    result, _ = docker_calls("run", "--profile", "202301")
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == "there is no image 'ahc-own001:202301' yet: evo ahc docker build --profile 202301"


def test_a_cleanup_removes_what_is_labelled_with_this_workspace(docker_calls, workspace):
    result, calls = docker_calls("cleanup", answer="abc\ndef\n")
    assert result.exit_code == 0
    assert calls[1] == "rm --force abc def"
    assert calls[3] == "rmi --force abc def"
    assert all(f"label=evograft.ahc.workspace={workspace.folder}" in call for call in calls[::2])


def test_without_docker_it_is_said_what_to_install(workspace, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    result = CliRunner().invoke(ahc, ["docker", "build"])
    assert isinstance(result.exception, ServiceError)
    assert "the program 'docker' cannot be started" in str(result.exception)


def test_without_an_engine_a_build_says_so_in_one_line_and_begins_nothing(workspace, monkeypatch, tmp_path):
    (tmp_path / "docker").write_text(
        "#!/bin/sh\necho noise >&2\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n"
    )
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    result = CliRunner().invoke(ahc, ["docker", "build"])
    assert isinstance(result.exception, ServiceError)
    assert str(result.exception).startswith(
        "no Docker engine answers: Cannot connect to the Docker daemon; start Docker"
    )
    assert result.output == ""


@pytest.mark.docker
def test_an_image_is_built_entered_judged_in_and_removed(workspace):
    (workspace.folder / "Dockerfile").write_text("ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nWORKDIR /workspace\n")
    built = CliRunner().invoke(ahc, ["docker", "build", "--profile", "202301", "--base", "evograft-test:bookworm"])
    assert built.exit_code == 0, built.output
    options = ("--sandbox", "docker", "--image", "ahc-own001:202301", "--seeds", "0-1", "--json")
    judged = CliRunner().invoke(ahc, ["test", "same.cpp", *options])
    assert [each["score"] for each in json.loads(judged.stdout)["cases"]] == [10, 20]
    entered = CliRunner().invoke(ahc, ["docker", "run", "--profile", "202301", "--", "test", "-f", "task.json"])
    assert entered.exit_code == 0
    removed = CliRunner().invoke(ahc, ["docker", "cleanup", "--json"])
    assert json.loads(removed.stdout)["images"] == ["ahc-own001:202301"]


def test_a_test_is_recorded_with_its_comment_and_scores(call, workspace):
    call("test", "failing.cpp", "-m", "what if")
    call("test", "same.cpp")
    (same, failing) = json.loads(CliRunner().invoke(ahc, ["history", "--json"]).stdout)
    assert (failing["comment"], failing["cases"]["0000"], failing["cases"]["0007"]) == ("what if", 10.0, None)
    assert (same["program"], same["mean"], same["source"]) == ("same.cpp", 45.0, "test")


def test_a_test_leaves_what_the_program_printed_on_each_case(call, workspace):
    program(workspace.folder, "loud.cpp", 'printf("%d\\n", n); fprintf(stderr, "iterations=%d\\n", n);')
    call("test", "loud.cpp")
    folder = workspace.folder / "out" / "loud.cpp"
    assert (folder / "0002.out").read_bytes() == b"30\n"
    assert (folder / "0002.err").read_bytes() == b"iterations=30\n"
    assert len(list(folder.iterdir())) == 16
    (folder / "0002.err").unlink()
    call("test", "loud.cpp")
    assert (folder / "0002.err").read_bytes() == b"iterations=30\n"


def test_files_of_earlier_tests_are_told_from_those_of_this_one(call, workspace):
    call("test", "same.cpp")
    assert call("test", "same.cpp", seeds="0-1").stdout.splitlines()[-1] == (
        "what it printed on each case: 'out/same.cpp'; also 6 cases of earlier tests"
    )
    assert call("test", "same.cpp").stdout.endswith("what it printed on each case: 'out/same.cpp'\n")


def test_outputs_that_are_too_long_to_be_kept_are_not_said_to_be_there(call, workspace):
    program(
        workspace.folder, "long.cpp", 'printf("%d\\n", n); if (n < 30) for (int i = 0; i < 1100000; i++) putchar(32);'
    )
    assert call("test", "long.cpp", seeds="0-1").stdout.splitlines()[-1].startswith("nothing that it printed is kept: ")
    assert not (workspace.folder / "out").exists()
    assert call("test", "long.cpp", seeds="0-2").stdout.splitlines()[-1] == (
        "what it printed on 1 of 3 cases: 'out/long.cpp'"
    )
    CliRunner().invoke(ahc, ["config", "language", "ja"])
    assert call("test", "long.cpp", seeds="0-2").stdout.splitlines()[-1] == "3 ケース中 1 ケースの出力: 'out/long.cpp'"
    assert "出力は残っていません" in call("test", "long.cpp", seeds="0-1").stdout.splitlines()[-1]


def test_what_programs_say_of_themselves_is_summed_up(call, workspace):
    program(workspace.folder, "loud.cpp", 'printf("%d\\n", n); if (n > 20) fprintf(stderr, "moves = %d\\n", n);')
    said = call("test", "loud.cpp").stdout
    head, row = said[said.index("value ") :].splitlines()[:2]
    assert (head.split(), row.split()) == (["value", "cases", "mean", "min", "max"], ["moves", "6", "55", "30", "80"])
    data = json.loads(call("test", "loud.cpp", "--json").stdout)
    assert data["values"] == {"moves": {"cases": 6, "mean": 55.0, "min": 30.0, "max": 80.0}}


def test_a_program_is_tested_whenever_it_is_saved_until_ctrl_c(judge_of, workspace, strongest):
    judge_of(workspace)
    words = ("ahc", "watch", "same.cpp", "--seeds", "0-7", "--sandbox", strongest, "--json")
    process = PythonProcess(
        "-m", "evograft", *words, cwd=workspace.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    first = json.loads(process.stdout.readline())
    assert (first["mean"], first["difference"]) == (45.0, None)
    program(workspace.folder, "same.cpp", 'printf("%d\\n", n + 2);')
    second = json.loads(process.stdout.readline())
    assert (second["mean"], second["difference"], second["better"], second["relative"]) == (47.0, 2.0, 8, 1.0)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.stdout.close()
    process.stderr.close()
    history = json.loads(CliRunner().invoke(ahc, ["history", "--json"]).stdout)
    assert [each["mean"] for each in history] == [47.0, 45.0]
