"""Whatever a program does, it is its own failure: nothing of it is left, and the next command is as the first."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

ENDED_BY = {
    "loop": "cpu",
    "threads": "cpu",
    "sleep": "wall",
    "stop": "wall",
    "memory": "memory",
    "forks": "processes",
    "output": "output",
    "errors": "output",
    "file": "output",
}
PATIENT = {"cpu_seconds": 10.0, "wall_seconds": 60.0}
REFUSED = {
    "the password file": ("read", "/etc/shadow"),
    "the user's home": ("read", str(Path("~/.bashrc").expanduser())),
    "the memory of another process": ("trace",),
    "a file of the system": ("write", "/usr/left-behind"),
    "a file in the session's folder": ("write", "../session/left-behind"),
    "a file beside its own folder": ("write", "../left-behind"),
    "a file in the temporary folder": ("write", "/tmp/left-behind"),
    "shared memory that stays": ("shared",),
    "its parent": ("kill",),
    "descriptors that it was not given": ("descriptors",),
    "other cores": ("affinity",),
}


@pytest.fixture(autouse=True)
def undisturbed(fault, run):
    """After each program: no process of it is there, and the next command finds an empty folder."""
    yield
    after = run("sh", "-c", "ls -a; cat; exit 5", stdin=b"next")
    assert (after.exit_code, after.stdout, after.stderr, after.limit) == (5, b".\n..\nnext", b"", "")
    assert fault("others").exit_code == 0


@pytest.mark.parametrize("name", ENDED_BY)
def test_a_program_that_passes_a_limit_is_ended_by_it(fault, name):
    patience = {} if ENDED_BY[name] == "wall" else {**PATIENT, "cpu_seconds": 0.3 if ENDED_BY[name] == "cpu" else 10.0}
    assert fault(name, limits=patience).limit == ENDED_BY[name]


@pytest.mark.parametrize("name", REFUSED)
def test_out_of_reach_is(fault, name):
    result = fault(*REFUSED[name])
    assert (result.exit_code, result.stdout) == (0, b"fine\n")


def test_a_server_of_this_machine_is_out_of_reach(fault):
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert fault("connect", str(server.getsockname()[1])).stdout == b"fine\n"


def test_what_a_program_printed_before_its_limit_is_kept_up_to_the_limit(run):
    result = run("sh", "-c", "while :; do echo yes; done", limits={"output_bytes": 1001})
    assert (result.limit, len(result.stdout), result.stdout[:8]) == ("output", 1001, b"yes\nyes\n")


def test_standard_output_and_error_are_kept_apart(run):
    result = run("sh", "-c", "echo one; echo two >&2; echo three > /dev/stdout; echo four > /dev/stderr")
    assert (result.stdout, result.stderr) == (b"one\nthree\n", b"two\nfour\n")


def test_detached_daemons_end_with_the_program_that_started_them(fault):
    assert fault("daemons").stdout == b"fine\n"


def test_a_program_that_closes_everything_has_ended_when_it_exits(fault):
    result = fault("pipes")
    assert (result.exit_code, result.stdout, result.limit) == (0, b"", "")


def test_a_signal_is_an_exit_code_below_zero(fault):
    assert fault("signal").exit_code == -signal.SIGSEGV


@pytest.mark.parametrize("name", ["deep", "locked"])
def test_folders_that_are_hard_to_remove_are_removed(fault, name):
    assert fault(name, limits=PATIENT).stdout == b"fine\n"


def test_a_huge_command_line_is_carried_out_or_refused_by_the_system(run):
    assert run("sh", "-c", "echo ${#1}", "sh", "x" * 100_000).stdout == b"100000\n"
    refused = run("sh", "-c", "true", "sh", "x" * 1_000_000)
    assert refused.exit_code == 127
    assert b"too long" in refused.stderr


def test_bytes_that_are_no_text_go_in_and_out(run):
    garbage = bytes(range(256)) * 40
    assert run("cat", stdin=garbage).stdout == garbage


def test_a_file_that_is_no_program_is_not_run(session, run):
    session.write({"garbage": os.urandom(4096)})
    result = run("./garbage", inputs={"garbage": "garbage"})
    assert result.exit_code in (126, 127, 2)


def test_a_program_that_does_not_exist_is_named(run):
    result = run("nonexistent")
    assert (result.exit_code, result.stderr) == (127, b"cannot run nonexistent: No such file or directory\n")
