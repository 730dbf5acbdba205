"""What commands are given, what they leave, and what they cost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from waiting import wait_until

from evograft_hookspecs import SandboxCommand, SandboxLimits, SandboxLost
from evograft_sandbox.commands import cpu_cores as cores_of_sessions

HOLDS = """
import sys
from evograft_sandbox.commands.bwrap import BwrapSandbox
from evograft_sandbox.commands.process import ProcessSandbox
from evograft_hookspecs import SandboxCommand, SandboxLimits
driver = {"process": ProcessSandbox, "bwrap": BwrapSandbox}[sys.argv[1]]
session = driver(driver.Options(scratch_mb=64)).open()
print("open", flush=True)
endless = SandboxLimits(wall_seconds=900.0)
session.run(SandboxCommand(arguments=("sh", "-c", "(setsid sleep 900 &); sleep 900"), limits=endless))
"""
NAMES = st.text("abc.-_ é", min_size=1, max_size=8).filter(lambda name: name not in (".", ".."))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.lists(NAMES, min_size=1, max_size=3).map("/".join), content=st.binary(max_size=2000))
def test_a_file_of_the_session_reads_as_it_was_written(session, path, content):
    session.write({f"law/{len(path)}-{path}": b"before"})
    session.write({f"law/{len(path)}-{path}": content})
    assert session.read(f"law/{len(path)}-{path}") == content
    session.remove(f"law/{len(path)}-{path}")
    with pytest.raises(FileNotFoundError):
        session.read(f"law/{len(path)}-{path}")


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a\0b"])
def test_a_path_that_leaves_the_folder_is_refused(session, path):
    with pytest.raises(ValueError, match="should match pattern"):
        session.write({path: b""})
    with pytest.raises(ValidationError):
        SandboxCommand(arguments=("true",), inputs={path: "a"})


def test_a_command_sees_what_it_is_shown_and_nothing_else(session, run):
    session.write({"one": b"1", "two": b"2"})
    result = run("sh", "-c", "find . -type f; cat in/shown; cat ../session/two", inputs={"in/shown": "one"})
    assert result.stdout == b"./in/shown\n1"
    assert b"denied" in result.stderr or b"cannot" in result.stderr.lower()


def test_a_command_cannot_change_what_it_is_shown_for_others(session, run):
    session.write({"one": b"1"})
    run("sh", "-c", "chmod 777 shown; echo 2 > shown; rm shown; echo 3 > shown", inputs={"shown": "one"})
    assert session.read("one") == b"1"


def test_what_a_command_is_to_keep_is_there_for_the_next(session, run):
    run("sh", "-c", "echo kept > out; echo lost > other", outputs={"out": "made/out", "missing": "made/missing"})
    assert session.read("made/out") == b"kept\n"
    assert run("cat", "x", inputs={"x": "made/out"}).stdout == b"kept\n"
    with pytest.raises(FileNotFoundError):
        session.read("made/missing")


@pytest.mark.parametrize(
    ("script", "exit_code", "limit"),
    [("while :; do :; done", -9, "cpu"), ("kill -SEGV $$", -11, ""), ("kill -9 $$", -9, ""), ("exit 3", 3, "")],
    ids=["hung", "crashed", "killed", "failed"],
)
def test_a_command_that_makes_no_file_leaves_none_of_an_earlier_one(session, run, script, exit_code, limit):
    run("sh", "-c", "echo 0.99 > out", outputs={"out": "score"})
    assert session.read("score") == b"0.99\n"
    # On a busy machine, too, it is its own time that ends the one that hangs.
    result = run("sh", "-c", script, outputs={"out": "score"}, limits={"wall_seconds": 60.0})
    assert (result.exit_code, result.limit) == (exit_code, limit)
    with pytest.raises(FileNotFoundError):
        session.read("score")


def test_a_command_may_replace_the_very_file_that_it_is_shown(session, run):
    session.write({"count": b"1"})
    again = {"inputs": {"in": "count"}, "outputs": {"out": "count"}}
    assert run("sh", "-c", "echo $(($(cat in) + 1)) > out", **again).exit_code == 0
    assert session.read("count") == b"2\n"


@pytest.mark.parametrize("trick", ["ln -s /etc/hostname out", "mkfifo out", "mkdir out", "ln -s ../session/bait out"])
def test_only_plain_files_are_kept(session, run, trick):
    session.write({"bait": b"secret"})
    run("sh", "-c", trick, outputs={"out": "taken"})
    with pytest.raises(FileNotFoundError):
        session.read("taken")


def test_a_file_can_be_the_standard_input_without_being_seen(session, run):
    session.write({"future": b"the answer"})
    result = run("sh", "-c", "cat; ls", stdin_file="future")
    assert result.stdout == b"the answer"


def test_the_standard_input_can_be_opened_once_more_and_is_a_copy(session, run):
    session.write({"future": b"the answer"})
    for options in ({"stdin": b"the answer"}, {"stdin_file": "future"}):
        assert run("cat", "/dev/stdin", **options).stdout == b"the answer"
        run("sh", "-c", "echo other > /dev/stdin; echo other >> /proc/self/fd/0", **options)
    assert session.read("future") == b"the answer"


def test_a_missing_file_is_the_callers_mistake_and_the_session_goes_on(session, run):
    with pytest.raises(OSError, match="nowhere"):
        run("true", inputs={"x": "nowhere"})
    with pytest.raises(OSError, match="nowhere"):
        run("true", stdin_file="nowhere")
    assert run("true").exit_code == 0


def test_the_environment_is_what_is_given_and_nothing_of_the_hosts(run, monkeypatch):
    monkeypatch.setenv("HOST_SECRET", "1")
    result = run("env", environment={"GIVEN": "x = y"})
    names = {line.partition("=")[0] for line in result.stdout.decode().splitlines()}
    assert names - {"PWD", "SHLVL", "_", "OLDPWD"} == {"PATH", "HOME", "TMPDIR", "LANG", "GIVEN"}


def test_times_and_memory_are_measured(run):
    result = run("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.1", limits={"cpu_seconds": 5.0})
    assert 0 < result.cpu_seconds < result.wall_seconds
    assert result.wall_seconds > 0.1
    assert 0.1 < result.peak_memory_mb < 100


def test_waiting_for_a_core_is_told_from_waiting_by_choice(run):
    busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    rivals = f"({busy}) & " * (2 * len(os.sched_getaffinity(0)))
    crowded = run(
        "sh", "-c", f"{rivals} {busy}; wait", limits={"cpu_seconds": 60.0, "wall_seconds": 60.0, "processes": 1000}
    )
    assert crowded.exit_code == 0
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("this kernel does not count who waits for a core")
    assert crowded.waited_seconds > 0
    alone = run("sh", "-c", busy, limits={"cpu_seconds": 60.0, "wall_seconds": 60.0})
    assert alone.waited_seconds < alone.wall_seconds
    asleep = run("sleep", "0.1")
    assert asleep.wall_seconds - asleep.waited_seconds > asleep.cpu_seconds


def test_a_command_that_idles_is_ended_and_one_that_computes_is_not(run):
    patient = {"cpu_seconds": 60.0, "wall_seconds": 60.0, "idle_seconds": 0.2}
    busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
    assert run("sh", "-c", f"({busy}) & {busy}; wait", limits=patient).limit == ""
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("this kernel does not count who waits for a core")
    asleep = run("sleep", "50", limits=patient)
    assert asleep.limit == "idle"
    assert run("sh", "-c", "kill -STOP $$", limits=patient).limit == "idle"


def test_children_that_have_ended_count_as_processes_no_more_and_their_cpu_once(run):
    one_by_one = "n=0; while [ $n -lt 40 ]; do (i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done); n=$((n+1)); done"
    result = run("sh", "-c", one_by_one, limits={"cpu_seconds": 30.0, "wall_seconds": 60.0, "processes": 8})
    assert (result.exit_code, result.limit) == (0, "")


def test_the_cpu_of_children_counts(run):
    result = run("sh", "-c", "(while :; do :; done) & (while :; do :; done) & wait", limits={"wall_seconds": 10.0})
    assert result.limit == "cpu"


def test_many_threads_share_a_session(session):
    def add(number):
        command = SandboxCommand(arguments=("cat",), stdin=str(number).encode(), limits=SandboxLimits())
        return session.run(command).stdout

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(add, range(20))) == [str(number).encode() for number in range(20)]


def test_a_session_outlives_the_thread_that_opened_it(driver):
    with ThreadPoolExecutor(1) as pool:
        session = pool.submit(driver.open).result()
    assert session.run(SandboxCommand(arguments=("echo", "there"))).stdout == b"there\n"
    session.close()


def test_a_forked_copy_of_the_caller_does_not_end_a_session(driver, session):
    copy = os.fork()
    if copy == 0:
        try:
            session.close()
        finally:
            os._exit(0)
    os.waitpid(copy, 0)
    assert session.run(SandboxCommand(arguments=("echo", "there"))).stdout == b"there\n"


def has_begun(caller):
    """Whether the command that the caller holds is running; some other processes below it are soon gone."""
    for each in psutil.Process(caller.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if each.name() == "sleep":
                return True
    return False


@pytest.mark.parametrize("name", ["process", "bwrap"])
def test_a_caller_that_is_killed_takes_everything_with_it(name, tmp_path):
    if shutil.which(name) is None and name == "bwrap":
        pytest.skip("install bubblewrap")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", HOLDS, name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as caller:
        assert caller.stdout.readline() == "open\n"
        try:
            wait_until(lambda: has_begun(caller), caller)
            started = psutil.Process(caller.pid).children(recursive=True)
        finally:
            caller.kill()
    _, alive = psutil.wait_procs(started, timeout=120)
    assert alive == []
    assert list(tmp_path.glob("evo-sandbox-*")) == []


def test_close_ends_what_runs(driver):
    session = driver.open()
    with ThreadPoolExecutor() as pool:
        session.write({"go": b""})
        endless = SandboxLimits(cpu_seconds=900.0, wall_seconds=900.0)
        running = pool.submit(session.run, SandboxCommand(arguments=("sleep", "900"), limits=endless))
        session.close()
        with pytest.raises(SandboxLost):
            running.result(60)
    with pytest.raises(SandboxLost):
        session.run(SandboxCommand(arguments=("true",)))
    session.close()


def test_a_folder_that_is_mounted_is_seen_and_cannot_be_changed(driver, tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "tool").write_text("here")
    command = SandboxCommand(arguments=("sh", "-c", f"cat {tmp_path}/tool; echo > {tmp_path}/new"))
    with closing(driver.open(mounts={str(tmp_path): str(tmp_path)})) as session:
        assert session.run(command).stdout == b"here"
    assert [path.name for path in tmp_path.iterdir()] == ["tool"]


def test_a_mount_may_be_below_the_folder_in_which_commands_work(bwrap, tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "package").write_text("here")
    with closing(bwrap.open(mounts={"/evograft/cache": str(tmp_path)})) as session:
        command = SandboxCommand(arguments=("cat", "/evograft/cache/package"))
        assert session.run(command).stdout == b"here"


def test_a_core_of_its_own_is_used_alone(driver, monkeypatch, tmp_path):
    # Sessions of other tests may keep all cores of this machine.
    monkeypatch.setattr(cores_of_sessions, "lock_folder", lambda: tmp_path / "cores")

    def cores(session):
        return session.run(SandboxCommand(arguments=("nproc",))).stdout

    with closing(driver.open()) as shared, closing(driver.open(own_core=True)) as own:
        if cores(shared) == b"1\n":
            pytest.skip("one core only")
        assert cores(own) == b"1\n"


def test_compiling_works(session, run):
    session.write({"a.c": b'#include <stdio.h>\nint main(void) { puts("compiled"); }\n'})
    generous = {"cpu_seconds": 20.0, "wall_seconds": 60.0, "memory_mb": 1024, "output_bytes": 100_000, "file_mb": 100}
    made = run("gcc", "a.c", "-o", "a", inputs={"a.c": "a.c"}, outputs={"a": "a"}, limits=generous)
    if made.exit_code == 127:
        pytest.skip("install gcc inside")
    assert made.stderr == b""
    assert run("./a", inputs={"a": "a"}).stdout == b"compiled\n"


def test_where_the_locks_of_cores_cannot_be_written_no_core_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(cores_of_sessions, "lock_folder", lambda: tmp_path / "file" / "cores")
    with cores_of_sessions.reserve_core() as core:
        assert core is None
