"""Words that mean something else than they seem to, each as a tool prints it."""

import pytest

from evograft_env_setup.failures import classify

CONFLICT = """npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree
npm error Fix the upstream dependency conflict, or retry
npm error this command with --force or --legacy-peer-deps
"""
POM = "[ERROR] Could not transfer artifact g:a:pom:1 from/to central (https://repo.example.org): status: 503 Service Unavailable"
NOT_ROOT = """E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)
E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?
"""
RETRIED = """WARNING: Retrying (Retry(total=1)) after connection broken by 'NewConnectionError: Name or service not known': /simple/a/
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Name or service not known': /simple/a/
"""
PIP_END = """ERROR: Could not find a version that satisfies the requirement a (from versions: none)
ERROR: No matching distribution found for a
"""


def told(stdout="", stderr="", exit_code=1, command="make"):
    return classify(command, exit_code, stdout, stderr)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_errors_are_read_from_both_streams_since_maven_and_pnpm_write_them_to_stdout(stream):
    assert told(**{stream: POM}).kind == "server"
    assert told(**{stream: " ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with frozen-lockfile"}).kind == "lockfile"


def test_a_name_that_pip_did_not_find_because_names_of_hosts_are_not_resolved_is_no_wrong_name():
    assert told(stderr=RETRIED + PIP_END).kind == "network"


def test_a_name_that_pip_did_not_find_without_saying_why_is_to_be_asked_about():
    assert (told(stderr=PIP_END).kind, told(stderr=PIP_END).probe) == ("name", "pip")


def test_versions_that_pip_lists_prove_that_the_index_answers():
    failure = told(
        stderr="ERROR: Could not find a version that satisfies the requirement a==9 (from versions: 1.0, 2.0)"
    )
    assert (failure.kind, failure.probe) == ("version", "")


def test_what_was_tried_again_and_worked_is_not_what_failed():
    failure = told(stderr=RETRIED.splitlines()[0] + "\nERROR: Invalid requirement: 'a == == 1'")
    assert failure.kind == "syntax"


def test_npm_that_does_not_find_a_name_after_a_server_was_down_has_a_wrong_name():
    log = "npm http fetch GET 503 https://registry.example.org/a attempt 1 failed with 503\n"
    assert (
        told(stderr=log + "npm error code E404\nnpm error 404 Not Found - GET https://registry.example.org/a").kind
        == "name"
    )


def test_npm_that_says_retry_this_command_means_with_other_words():
    assert told(stderr=CONFLICT).error_class == "fixable"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ('while parsing a block mapping\n  in "environment.yml", line 3, column 1', "syntax"),
        ("error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.", "lockfile"),
        ("error: Unable to find lockfile at `uv.lock`, but `--frozen` was provided", "lockfile"),
        (NOT_ROOT, "permission"),
        ("pyproject.toml changed significantly since poetry.lock was last generated.", "lockfile"),
        ("error: the lock file Cargo.lock needs to be updated but --locked was passed", "lockfile"),
    ],
)
def test_words_with_a_lock_in_them_are_no_lock_that_is_held(words, kind):
    assert told(stderr=words).kind == kind


@pytest.mark.parametrize(
    "words",
    [
        "> Timeout waiting to lock artifact cache (/root/.gradle/caches/modules-2). It is currently in use",
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 2448 (unattended-upgr)",
        "dpkg: error: dpkg frontend lock was locked by another process with pid 7",
        "fatal: Unable to create '/project/.git/index.lock': File exists.",
    ],
)
def test_locks_that_are_held_are_waited_for(words):
    assert told(stderr=words).kind == "lock"


@pytest.mark.parametrize("exit_code", [137, -9, 134, -6])
def test_a_process_that_was_killed_without_a_word_had_no_memory(exit_code):
    assert told(exit_code=exit_code).kind == "memory"


def test_a_tool_that_waited_for_a_lock_until_it_was_killed_can_be_tried_again():
    assert told(stderr="    Blocking waiting for file lock on package cache\n", exit_code=137).kind == "lock"


def test_a_tool_that_is_not_there_is_known_by_the_exit_code_alone():
    assert told(exit_code=127).kind == "missing_tool"


def test_an_activation_that_was_lost_names_the_way_around():
    failure = told(stderr="CondaError: Run 'conda init' before 'conda activate'")
    assert failure.kind == "usage"
    assert "conda run" in failure.tell


def test_a_disk_that_is_full_counts_more_than_the_lock_that_could_not_be_written_for_it():
    words = "error    Could not write PID to lockfile (No space left on device)\nwarning  Cannot lock '/opt/cache'"
    assert told(stderr=words).kind == "disk"


def test_lists_that_apt_could_not_fetch_make_no_name_wrong():
    words = "W: Failed to fetch http://deb.example.org/x  Temporary failure resolving 'deb.example.org'\n"
    assert told(stderr=words + "E: Unable to locate package libpq-dev", exit_code=100).kind == "network"


def test_a_command_that_did_not_end_in_time_may_end_the_next_time():
    assert told(exit_code=124).error_class == "retryable"


def test_a_tool_that_is_told_to_say_nothing_is_known_by_its_own_exit_codes():
    assert told(exit_code=6, command="curl -fs https://a.example.org/x -o x").kind == "network"
    assert told(exit_code=6, command="./prove").kind == "unknown"


def test_a_full_disk_that_only_warnings_tell_of_ends_the_set_up():
    failure = told(
        stderr="npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device\nnpm error A complete log of this run"
    )
    assert (failure.error_class, failure.kind) == ("fatal", "disk")


def test_a_warning_counts_only_where_nothing_else_is_known():
    words = "npm warn tar ENOSPC: no space left on device, write\nnpm error code ERESOLVE"
    assert told(stderr=words).kind == "version"


def test_a_java_machine_that_says_not_enough_space_means_memory():
    words = "INFO: os::commit_memory(0x00000000f79c5000, 22691840, 0) failed; error='Not enough space' (errno=12)"
    assert told(stderr=words).kind == "memory"


def test_a_file_that_does_not_fit_the_list_of_its_server_is_told_as_such():
    failure = told(stderr="E: Failed to fetch http://deb.example.org/a.deb  Hash Sum mismatch", exit_code=100)
    assert (failure.error_class, failure.rule) == ("retryable", "apt-mirror")


def test_a_lock_of_conda_that_is_held_is_waited_for_and_one_that_may_not_be_written_is_not():
    assert told(stderr="File lock could on /opt/conda/.conda_lock not be obtained.").kind == "lock"
    words = "WARNING conda.lock:touch(53): Failed to create lock, do not run conda in parallel processes [errno 13]"
    assert told(stderr=words).kind == "permission"


def test_what_maven_could_not_fetch_and_remembers_is_known_by_its_reason():
    cached = "[WARNING] Failure to transfer g:a:jar:1 from https://repo.example.org was cached in the local repository"
    assert told(stdout=f"{cached}. Original error: Connection timed out").kind == "network"
    assert told(stdout="[ERROR] Failure to find g:a:jar:1 in https://repo.example.org was cached in").kind == "name"


def test_what_no_rule_knows_is_for_the_model_with_the_end_of_the_output():
    failure = told(stdout="\n".join(f"line {number}" for number in range(1000)))
    assert (failure.error_class, failure.rule) == ("fixable", "unknown")
    assert failure.excerpt.endswith("line 999")
