"""Commands that a fork server begins: they end as others do, and nothing that one does to the server reaches the next."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from evograft_hookspecs import ForkServer, SandboxCommand, SandboxLimits, SandboxLost

HERE = Path(__file__).parent
ELSEWHERE = HERE / "forking_elsewhere.py"
PATIENT = {"cpu_seconds": 10.0, "wall_seconds": 60.0}
COMMANDS = {
    "arguments": (("sh", "-c", 'echo "$0|$1|$#"', "a b", "", "\n"), {}),
    "environment": (("sh", "-c", "env | sort"), {"environment": {"GIVEN": "x = y", "EMPTY": ""}}),
    "standard input": (("cat",), {"stdin": bytes(range(256)) * 40}),
    "a file as standard input": (("cat", "/dev/stdin"), {"stdin_file": "shown"}),
    "inputs": (("sh", "-c", "cat in/shown; echo x >> in/shown"), {"inputs": {"in/shown": "shown"}}),
    "its folder": (("sh", "-c", "pwd; ls -la | tail -n +2 | cut -c1-10; umask; id -u; id -G"), {}),
    "exit code": (("sh", "-c", "echo out; echo error >&2; exit 3"), {}),
    "signal": (("./faulty", "signal"), {"inputs": {"faulty": "faulty"}}),
    "no such program": (("nonexistent",), {}),
    "rlimits": (("cat", "/proc/self/limits"), {}),
    "other rlimits": (("cat", "/proc/self/limits"), {"limits": {**PATIENT, "memory_mb": 64, "file_mb": 3}}),
    "privileges": (("sh", "-c", "grep -E '^(Sig|Shd|Cap|NoNew|Seccomp)' /proc/self/status"), {}),
    "descriptors": (("sh", "-c", "ls /proc/self/fd"), {}),
    "cpu": (("./faulty", "loop"), {"inputs": {"faulty": "faulty"}, "limits": {**PATIENT, "cpu_seconds": 0.2}}),
    "wall": (("./faulty", "sleep"), {"inputs": {"faulty": "faulty"}, "limits": {"wall_seconds": 0.3}}),
    "memory": (("./faulty", "memory"), {"inputs": {"faulty": "faulty"}, "limits": PATIENT}),
    "processes": (("./faulty", "forks"), {"inputs": {"faulty": "faulty"}, "limits": PATIENT}),
    "output": (("sh", "-c", "while :; do echo yes; done"), {"limits": {**PATIENT, "output_bytes": 1001}}),
    "file": (("./faulty", "file"), {"inputs": {"faulty": "faulty"}, "limits": {**PATIENT, "file_mb": 2}}),
}
ATTACKS = {
    "kill": ("signal", "9"),
    "stop": ("signal", "19"),
    "terminate": ("signal", "15"),
    "stop and terminate": ("interrupt",),
    "no files": ("limit", "7"),
    "no processes": ("limit", "6"),
    "small files": ("limit", "1"),
    "no stack": ("limit", "3"),
    "no time": ("limit", "0"),
    "low priority": ("nice",),
    "idle class": ("idle",),
    "low priority of files": ("ioprio",),
}
VANDALISM = {
    "a closed folder": "chmod 000 .",
    "no folder": "rmdir ../candidate; rm -rf ../server",
    "a name in the folder's attributes": "touch -a -d 2001-01-01 . ; chmod 2777 .",
    "files": "echo left > behind; mkdir -p a/b; chmod 000 a/b a; ln -s / root",
    "daemons": "for i in 1 2 3; do setsid sleep 900 & done",
}
STATE = (
    "grep -v processes /proc/self/limits; cut -d' ' -f18,19,40,41 /proc/self/stat; ls -la | tail -n +2 | cut -c1-10; ls -A;"
    "stat -c %A,%u,%g . | sed s/[0-9]//g; grep -E '^(Sig|Shd|Cpus_allowed:)' /proc/self/status"
)
FAULTS = ("exits", "dies", "garbage", "foreign", "early", "readable")


def build(name: str, folder: Path) -> bytes:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("install gcc")
    subprocess.run([compiler, "-O1", "-w", "-static", HERE / f"{name}.c", "-o", folder / name], check=True)
    return (folder / name).read_bytes()


@pytest.fixture(scope="session")
def programs(tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("programs")
    return {name: build(name, folder) for name in ("forking", "attacks", "faulty")}


@pytest.fixture(scope="module")
def session(driver, programs):
    with closing(driver.open()) as session:
        session.write({**programs, "shown": b"shown"})
        yield session


def server(fault: str = "", **options) -> ForkServer:
    arguments = ("./forking", fault) if fault else ("./forking",)
    return ForkServer(arguments=arguments, inputs={"forking": "forking"}, **options)


SERVER = server()


@pytest.fixture
def fork(session):
    """Runs a command with a fork server, another one than other tests have had."""

    def run_command(*arguments, limits=None, fork_server=SERVER, **options):
        bounds = SandboxLimits(**{**PATIENT, "memory_mb": 128, "processes": 16, **(limits or {})})
        return session.run(SandboxCommand(arguments=arguments, limits=bounds, fork_server=fork_server, **options))

    yield run_command
    run_command("true", fork_server=server("exits"))


def attack(fork, *arguments) -> int:
    """How many processes a command could do something to."""
    result = fork("./attacks", *arguments, inputs={"attacks": "attacks"})
    assert result.forked
    return int(result.stdout)


# -- what it is for ---------------------------------------------------------------------------------------------------


def test_commands_are_forked_from_one_process(fork):
    first, second = fork("born"), fork("born")
    assert first.forked
    assert second.forked
    assert first.stdout == second.stdout != b""


def test_a_command_without_a_fork_server_is_not_forked_while_one_is_there(fork):
    born = fork("born").stdout
    assert not fork("true", fork_server=None).forked
    assert fork("born").stdout == born


def test_another_fork_server_takes_the_place_of_the_one_before(fork):
    born = fork("born").stdout
    other = fork("born", fork_server=server(environment={"OTHER": "1"}))
    assert other.forked
    assert other.stdout != born
    assert fork("./faulty", "others", inputs={"faulty": "faulty"}).exit_code == 1  # the only one


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_a_forked_command_ends_as_one_that_was_run_on_its_own(fork, name):
    arguments, options = COMMANDS[name]
    forked, alone = fork(*arguments, **options), fork(*arguments, fork_server=None, **options)
    assert (forked.forked, alone.forked) == (True, False)
    assert (forked.exit_code, forked.limit) == (alone.exit_code, alone.limit)
    assert forked.stdout == alone.stdout
    assert forked.stderr == alone.stderr


def test_what_a_forked_command_is_to_keep_is_there_for_the_next(session, fork):
    result = fork("sh", "-c", "echo kept > out; echo lost > other", outputs={"out": "made/out", "none": "made/none"})
    assert (result.forked, session.read("made/out")) == (True, b"kept\n")
    assert fork("cat", "x", inputs={"x": "made/out"}).stdout == b"kept\n"
    assert fork("sh", "-c", "kill -9 $$", outputs={"out": "made/out"}).exit_code == -9
    with pytest.raises(FileNotFoundError):
        session.read("made/out")


def test_the_time_of_a_forked_command_is_its_own(fork):
    busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
    result = fork("sh", "-c", busy)
    assert result.forked
    assert 0 < result.cpu_seconds <= result.wall_seconds
    assert fork("sh", "-c", f"{busy} & {busy}; wait").cpu_seconds > 0
    assert 0 < fork("true").cpu_seconds < result.cpu_seconds


def test_a_fork_server_that_shares_its_threads_with_no_command_leaves_it_all_of_its_own(fork):
    """The kernel counts processes by user, the server's too: the limit is the command's all the same."""
    script = "n=0; while [ $n -lt 14 ]; do sleep 900 & n=$((n+1)); done; echo started"
    result = fork("sh", "-c", script, limits={"processes": 15})
    assert (result.forked, result.stdout, result.limit) == (True, b"started\n", "")


def test_arguments_that_fit_no_message_are_run_on_their_own(fork):
    long = fork("sh", "-c", "echo ${#1}", "sh", "x" * 100_000)
    assert (long.stdout, long.forked) == (b"100000\n", False)
    assert fork("true").exit_code == 0


@pytest.mark.parametrize("name", ["process", "bwrap"])
def test_a_program_in_python_begins_with_what_its_fork_server_has_imported(request, name):
    program = b"import sys\nprint('numpy' in sys.modules, sys.argv[1:])\nimport numpy\nprint(numpy.arange(5).sum())\n"
    with closing(request.getfixturevalue(name).open(python=True)) as session:
        session.write({"forking.py": (HERE / "forking.py").read_bytes(), "main.py": program})
        imports = ForkServer(arguments=(session.python, "forking.py", "numpy"), inputs={"forking.py": "forking.py"})
        command = SandboxCommand(arguments=(session.python, "main.py", "a", "b"), inputs={"main.py": "main.py"})
        alone = session.run(command)
        for _ in range(3):
            forked = session.run(command.model_copy(update={"fork_server": imports}))
            assert (forked.forked, forked.exit_code, forked.stderr) == (True, 0, b"")
            assert forked.stdout.splitlines() == [b"True ['a', 'b']", b"10"]
    assert alone.stdout.splitlines() == [b"False ['a', 'b']", b"10"]


# -- what a command does to it ----------------------------------------------------------------------------------------


def describe_next(fork) -> tuple[bytes, bytes]:
    result = fork("sh", "-c", STATE)
    return result.stdout, result.stderr


@pytest.mark.parametrize("name", ATTACKS)
def test_what_a_command_does_to_its_server_does_not_reach_the_next(fork, name):
    before = describe_next(fork)
    assert attack(fork, *ATTACKS[name]) == 1
    assert describe_next(fork) == before
    assert describe_next(fork) == before
    assert fork("born").forked


@pytest.mark.parametrize("name", VANDALISM)
def test_what_a_command_leaves_in_its_folder_or_behind_does_not_reach_the_next(fork, name):
    before = describe_next(fork)
    assert fork("sh", "-c", VANDALISM[name]).forked
    assert describe_next(fork) == before
    assert fork("born").forked
    assert fork("./faulty", "others", inputs={"faulty": "faulty"}).exit_code == 1


def test_attributes_of_its_folder_are_no_messages_to_the_next(session, fork):
    if not session.has_any("user"):
        pytest.skip("a command with the runner's own user can leave them at folders of the session")
    note = {"inputs": {"attacks": "attacks"}}
    assert fork("./attacks", "note", **note).stdout in (b"1\n", b"0\n")  # 0 where the file system has no attributes
    assert fork("./attacks", "notes", **note).stdout == b"0\n"


@pytest.mark.parametrize("name", ["memory", "oom"])
def test_the_memory_of_a_server_is_out_of_reach(fork, name):
    born = fork("born").stdout
    assert attack(fork, name) == 0
    assert fork("born").stdout == born


def test_commands_cannot_change_what_their_server_was_started_from(session, fork):
    fork(
        "sh",
        "-c",
        "chmod 777 ../server/forking; echo > ../server/forking; rm -f ../server/forking; echo > ../server/new",
    )
    listed = fork("sh", "-c", "ls ../server; wc -c < ../server/forking")
    assert listed.stdout.split() == [b"forking", b"%d" % len(session.read("forking"))]


def test_after_a_fork_bomb_the_next_command_is_as_the_first(fork):
    before = describe_next(fork)
    assert fork("./faulty", "forks", inputs={"faulty": "faulty"}).limit == "processes"
    assert describe_next(fork) == before
    assert fork("born").forked


def test_thousands_of_commands_leave_neither_descriptors_nor_memory_nor_processes(session, fork, request):
    if "docker" in request.node.callspec.id:
        pytest.skip("the runner is in a container, out of sight")

    def look() -> tuple[int, int, int]:
        top = psutil.Process(session._channel._stream._process.pid)
        below = top.children(recursive=True)
        everything = [top, *below]
        return (
            len(below),
            sum(map(psutil.Process.num_fds, everything)),
            sum(each.memory_info().rss for each in everything),
        )

    born = fork("born").stdout
    for _ in range(20):
        fork("true")
    processes, descriptors, memory = look()
    for _ in range(2000):
        assert fork("true", stdin=b"x" * 100).forked
    assert look()[:2] == (processes, descriptors)
    assert look()[2] < memory + (1 << 20)
    assert fork("born").stdout == born


# -- where it does not work -------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_command_is_run_on_its_own_where_its_fork_server_fails(fork, fault):
    for _ in range(5):
        result = fork("cat", stdin=b"there", fork_server=server(fault))
        assert (result.stdout, result.stderr, result.exit_code, result.forked) == (b"there", b"", 0, False)
    assert fork("./faulty", "others", inputs={"faulty": "faulty"}, fork_server=None).exit_code == 0


@pytest.mark.parametrize(
    "absent",
    [
        ForkServer(arguments=("./nonexistent",)),
        ForkServer(arguments=("./forking",), inputs={"forking": "nowhere"}),
        server("hangs", wall_seconds=0.1),
    ],
    ids=["no program", "no file", "never ready"],
)
def test_a_command_is_run_on_its_own_where_its_fork_server_does_not_start(fork, absent):
    result = fork("echo", "there", fork_server=absent)
    assert (result.stdout, result.forked) == (b"there\n", False)


def test_a_fork_server_that_never_works_is_not_started_again_and_again(fork):
    numbers = [
        int(fork("sh", "-c", "echo $$", fork_server=server("exits", environment={"N": "1"})).stdout) for _ in range(6)
    ]
    begun = [after - before for before, after in pairwise(numbers)]
    assert begun[0] > begun[-1] == 1  # the command's own process, and no server's before it


def test_a_process_that_a_fork_server_has_begun_itself_does_not_keep_it_from_working(fork):
    leaves = server("leaves")
    born = [fork("born", fork_server=leaves).stdout for _ in range(3)]
    assert len(set(born)) == 1


# -- ends -------------------------------------------------------------------------------------------------------------


def find_server(session) -> psutil.Process | None:
    below = psutil.Process(session._channel._stream._process.pid).children(recursive=True)
    return next((each for each in below if each.name() == "forking"), None)


@pytest.mark.parametrize("name", ["process", "bwrap"])
def test_a_session_that_is_closed_while_its_fork_server_starts_leaves_none(request, programs, name):
    session = request.getfixturevalue(name).open()
    session.write(programs)
    command = SandboxCommand(arguments=("true",), fork_server=server("hangs", wall_seconds=900.0))
    with ThreadPoolExecutor() as pool:
        running = pool.submit(session.run, command)
        while (starting := find_server(session)) is None:
            assert not running.done()
        session.close()
        with pytest.raises(SandboxLost):
            running.result(60)
    assert psutil.wait_procs([starting], timeout=60)[1] == []


@pytest.mark.parametrize("name", ["process", "bwrap"])
def test_a_session_that_is_closed_leaves_no_fork_server(request, programs, name):
    session = request.getfixturevalue(name).open()
    session.write(programs)
    assert session.run(SandboxCommand(arguments=("born",), fork_server=server())).forked
    running = find_server(session)
    session.close()
    assert psutil.wait_procs([running], timeout=60)[1] == []


GOOD = {"forked": [True, True], "born": 1, "stopped": True, "killed": True, "daemons": [], "left": []}


@pytest.mark.parametrize(
    "missing",
    [("landlock",), ("namespaces",), ("namespaces", "landlock"), ("root",), ("root", "namespaces")],
    ids="+".join,
)
def test_one_layer_is_enough_for_a_fork_server(missing, programs, cache):
    assert elsewhere(missing, programs, cache) == GOOD


def test_without_users_and_landlock_commands_are_run_on_their_own(programs, cache):
    assert elsewhere(("root", "landlock"), programs, cache) == {**GOOD, "forked": [False, False], "born": 0}


def elsewhere(missing: tuple[str, ...], programs: dict[str, bytes], cache: Path) -> dict[str, object]:
    """What the process driver does on a system without what is named."""
    if platform.machine() != "x86_64":
        pytest.skip("system calls are forbidden by their numbers on x86-64")
    if "root" not in missing and os.getuid() != 0:
        pytest.skip("needs root")
    given = b"".join(len(programs[name]).to_bytes(8, "little") + programs[name] for name in ("forking", "attacks"))
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, ELSEWHERE, "+".join(missing)]
    done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)
