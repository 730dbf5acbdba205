"""Hostile candidates. The static check is off and the real modules are in reach: the layers themselves are attacked."""

from __future__ import annotations

import math
import os
import signal
import socket
from pathlib import Path

import pytest

from evograft_sandbox.functions import FunctionLimits, PythonSandbox
from evograft_sandbox.functions.lockdown import LAYERS

MODULES = """
    builtins ctypes gc networkx numpy os random re resource signal socket struct subprocess sys threading
    time
""".split()  # noqa: SIM905
HONEST = (
    "import numpy as np\ndef f(x):\n    return np.mean([x, 2 * x]) + sum([x]) + random.random() + np.random.rand()\n"
)

ENDLESS = {
    "a loop in Python": "def f(x):\n    while True:\n        pass",
    "a loop at the top level": "while True:\n    pass",
    "a loop that catches everything": """
def f(x):
    while True:
        try:
            raise KeyboardInterrupt
        except BaseException:
            pass
""",
    "one call in C": "def f(x):\n    return sum(range(10**18))",
    "a regular expression": "def f(x):\n    return len(re.match('(a+)+$', 'a' * 60 + 'b'))",
    "a big matrix": "def f(x):\n    return numpy.linalg.svd(numpy.random.rand(1200, 1200))[1][0]",
    "a sleep": "def f(x):\n    time.sleep(1000)",
    "a signal handler": """
def f(x):
    for number in (signal.SIGPROF, signal.SIGXCPU, signal.SIGALRM):
        try:
            signal.signal(number, signal.SIG_IGN)
        except Exception:
            pass
    while True:
        pass
""",
}
GREEDY = {
    "8 GB of bytes": "def f(x):\n    return len(bytearray(8 << 30))",
    "8 GB of floats": "def f(x):\n    return numpy.ones(1 << 30).sum()",
    "memory in many pieces": "def f(x):\n    return len([numpy.zeros(1 << 21) for _ in range(100)])",
    "raised limits": """
def f(x):
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return len(bytearray(8 << 30))
""",
}
DEADLY = {
    "exit with 0": "def f(x):\n    os._exit(0)",
    "exit with 77": "def f(x):\n    os._exit(77)",
    "a null pointer": "def f(x):\n    return ctypes.string_at(0)",
    "an abort": "def f(x):\n    os.abort()",
    "recursion in C": """
def f(x):
    sys.setrecursionlimit(10**9)
    return g(x)
def g(x):
    return max([x, x], key=g)
""",
    "a forged frame": """
def f(x):
    payload = struct.pack("<16sII", bytes(16), 5, 8) + struct.pack("<5d", 1, 2, 3, 4, 5) + b'["", []]'
    os.write(3, payload)
    os._exit(0)
""",
    "a frame before the frame": "def f(x):\n    os.write(3, bytes(100))\n    return x",
    "garbage on every descriptor": """
def f(x):
    for fd in range(256):
        try:
            for _ in range(50):
                os.write(fd, b"x" * (1 << 20))
        except Exception:
            pass
    return x
""",
    "a closed pipe": "def f(x):\n    os.close(3)\n    while True:\n        pass",
}
FAILING = {
    "recursion": "def f(x):\n    return f(x)",
    "exit": "def f(x):\n    raise SystemExit(0)",
    "an exception that cannot be shown": """
def f(x):
    def boom(self):
        raise ValueError
    raise type("E", (BaseException,), {"__str__": boom})
""",
    "reading a file": "def f(x):\n    return len(os.read(os.open('/etc/passwd', os.O_RDONLY), 10))",
    "listing a folder": "def f(x):\n    return len(os.listdir('/'))",
    "reading the environment": "def f(x):\n    return len(os.environ['PATH'])",
    "reading the worker's environment": "def f(x):\n    return len(builtins.open('/proc/self/environ').read())",
    "a socket": "def f(x):\n    return socket.socket().fileno()",
    "a datagram socket": "def f(x):\n    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).fileno()",
    "a pipe": "def f(x):\n    return os.pipe()[0]",
    "exec": "def f(x):\n    os.execv('/bin/true', ['true'])",
    "a command": "def f(x):\n    return subprocess.run(['true']).returncode",
    "a shell": "def f(x):\n    return 1 // (os.system('true') == 0)",
    "ptrace of its worker": "def f(x):\n    return 1 // (ctypes.CDLL(None).ptrace(16, os.getppid(), None, None) == 0)",
    "a change of user": "def f(x):\n    os.setuid(0) or 1 // (os.getuid() != 0) or os.kill(os.getppid(), 9)\n    return None",
    "the pipe's other end": "def f(x):\n    return os.open(f'/proc/{os.getppid()}/fd/10', os.O_RDWR)",
}
PATCHING = {
    "a library": "import numpy as np\nnp.mean = lambda values: 99.0\ndef f(x):\n    return np.mean([x])",
    "builtins": "builtins.sum = builtins.float = builtins.isinstance = None\ndef f(x):\n    return x",
    "the check for finite numbers": "math.isfinite = lambda value: True\ndef f(x):\n    return math.nan",
    "the sandbox": """
import sys
child = sys.modules["evograft_sandbox.functions.child"]
child.to_float = child._value_of = lambda *_: 7.0
child.pack_frame = child._attempt = child.one_line = None
def f(x):
    return x
""",
    "its callers": """
def f(x):
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if isinstance(value, list):
                value.clear()
        frame = frame.f_back
    return x
""",
    "the exit": "os._exit = lambda status: None\ndef f(x):\n    return x",
    "the generators": "random.seed(1)\nimport numpy\nnumpy.random.seed(1)\ndef f(x):\n    return random.random()",
    "all objects": "for thing in gc.get_objects():\n    if type(thing) is list:\n        thing.clear()\ndef f(x):\n    return x",
}
SPAWNING = {
    "a detached process": """
def f(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    return x
""",
    "64 processes": "for _ in range(6):\n    os.fork()\ntime.sleep(1000)\ndef f(x):\n    return x",
    "64 detached processes": "for _ in range(6):\n    os.fork()\n    os.setsid()\ntime.sleep(1000)\ndef f(x):\n    return x",
    "a process that keeps the pipe": "def f(x):\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)",
    "a thread": "def f(x):\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n    return x",
}


@pytest.fixture(scope="module")
def walled(make_sandbox) -> PythonSandbox:
    return make_sandbox(arguments={"modules": MODULES}, check=False)


@pytest.fixture(scope="module")
def porous(make_sandbox) -> PythonSandbox:
    layers = [name for name in LAYERS if name != "seccomp"]
    return make_sandbox(arguments={"modules": MODULES}, check=False, layers=layers)


@pytest.fixture(params=["walled", "porous"])
def sandbox(request) -> PythonSandbox:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def unwalled(make_sandbox) -> PythonSandbox:
    modules = ["builtins", "os", "threading", "time"]
    return make_sandbox(arguments={"modules": modules}, check=False, layers=["reaper"])


@pytest.fixture(autouse=True)
def honest_work_is_as_before(request, processes_of):
    """After every attack, the next candidate gets the same values and no process is left."""
    used = {"sandbox", "walled", "porous"}.intersection(request.fixturenames)
    if not used:
        yield
        return
    sandbox = request.getfixturevalue(used.pop())
    before, markers = honest_values(sandbox), {worker_of(sandbox).marker}
    yield
    assert honest_values(sandbox) == before
    markers.add(worker_of(sandbox).marker)
    left = [process for marker in markers for process in processes_of(marker)]
    assert [process.pid for process in left] == [worker_of(sandbox).process.pid]


def honest_values(sandbox) -> list[float]:
    result = sandbox.run(HONEST, function="f", dataset="numbers")
    assert result.values is not None, result.error
    assert result.failed_items == 0
    return list(result.values)


def worker_of(sandbox):
    (worker,) = sandbox._crew._free
    return worker


def attack(sandbox, source, dataset="numbers"):
    result = sandbox.run(f"from builtins import *\n{source}", function="f", dataset=dataset)
    # An attack that fails for a name that is not there would prove nothing.
    assert not any("NameError" in reason for _, reason in result.item_errors)
    assert "NameError" not in result.error
    return result


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_a_time_out(walled, name):
    result = attack(walled, ENDLESS[name])
    assert result.values is None
    assert result.error.startswith("time-out: more than")


@pytest.mark.parametrize("name", ["one call in C", "a signal handler"])
def test_what_never_ends_is_a_time_out_without_seccomp(porous, name):
    result = attack(porous, ENDLESS[name])
    assert result.values is None
    assert result.error.startswith("time-out: more than")


def test_a_power_without_end_is_a_failure(sandbox):
    result = attack(sandbox, "def f(x):\n    return (10 ** 10 ** 9) % 7 * x")
    assert result.error.startswith("time-out") or "MemoryError" in result.item_errors[0][1]


@pytest.mark.parametrize("name", GREEDY)
def test_what_takes_too_much_memory_gets_an_error(sandbox, name):
    result = attack(sandbox, GREEDY[name])
    assert result.failed_items == 5
    assert any(word in result.item_errors[0][1] for word in ("MemoryError", "PermissionError", "ValueError"))


@pytest.mark.parametrize("name", DEADLY)
def test_what_ends_its_process_or_writes_to_its_pipe_fails_as_a_whole(sandbox, name):
    result = attack(sandbox, DEADLY[name])
    assert result.values is None
    assert result.error


@pytest.mark.parametrize("name", FAILING)
def test_what_is_not_allowed_is_an_exception_in_the_candidate(sandbox, name):
    result = attack(sandbox, FAILING[name])
    assert result.values is not None, result.error
    assert result.failed_items == 5
    assert all(map(math.isnan, result.values))


@pytest.mark.parametrize("name", PATCHING)
def test_what_a_candidate_patches_reaches_nobody_else(sandbox, name):
    attack(sandbox, PATCHING[name])


@pytest.mark.parametrize("name", SPAWNING)
def test_processes_and_threads_are_refused_or_killed(sandbox, name):
    attack(sandbox, SPAWNING[name])


def test_a_nan_that_passes_a_patched_check_is_a_failed_item(sandbox):
    assert attack(sandbox, PATCHING["the check for finite numbers"]).failed_items == 5


def test_changing_an_item_changes_it_for_this_candidate_only(sandbox):
    source = "def f(items):\n    items.append(1)\n    return len(items)"
    assert list(attack(sandbox, source, "lists").values) == [2.0] * 5
    assert list(attack(sandbox, source, "lists").values) == [2.0] * 5


def test_killing_itself_is_no_more_than_a_failure(sandbox):
    result = attack(sandbox, "def f(x):\n    os.kill(os.getpid(), signal.SIGKILL)\n    return x")
    assert result.error == "its process was ended by SIGKILL" or "PermissionError" in result.item_errors[0][1]


def test_its_worker_is_out_of_reach(sandbox):
    worker = worker_of(sandbox)
    result = attack(sandbox, "def f(x):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return x")
    assert "PermissionError" in result.item_errors[0][1]
    assert worker_of(sandbox) is worker


def test_the_caller_is_out_of_reach(sandbox):
    result = attack(sandbox, f"def f(x):\n    os.kill({os.getpid()}, signal.SIGKILL)\n    return x")
    assert "PermissionError" in result.item_errors[0][1]


def test_50_mb_on_stdout_and_stderr_go_nowhere(sandbox, capfd):
    source = """
def f(x):
    for fd in (1, 2):
        for _ in range(50):
            os.write(fd, b"x" * (1 << 20))
    print("hello")
    sys.__stdout__.write("hello")
    sys.__stdout__.flush()
    return x
"""
    assert attack(sandbox, source).failed_items == 0
    assert capfd.readouterr() == ("", "")


def test_writing_a_file_is_refused(sandbox, tmp_path: Path):
    tmp_path.chmod(0o777)
    target = tmp_path / "written"
    result = attack(sandbox, f"def f(x):\n    return builtins.open({str(target)!r}, 'w').write('x')")
    assert result.failed_items == 5
    assert not target.exists()


def test_a_listening_server_is_out_of_reach(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        result = attack(sandbox, f"def f(x):\n    socket.create_connection({address!r})\n    return x")
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert result.failed_items == 5


def test_only_the_four_descriptors_of_a_child_are_open(sandbox):
    source = """
def f(x):
    found = 0
    for fd in range(2048):
        try:
            os.write(fd, b"") if fd else os.read(fd, 0)
            found += 1
        except Exception:
            pass
    return found
"""
    assert set(attack(sandbox, source).values) == {4.0}


def test_a_fork_bomb_is_a_failure(walled):
    result = attack(walled, "while True:\n    os.fork()\ndef f(x):\n    return x")
    assert "PermissionError" in result.error


@pytest.mark.parametrize(
    ("layer", "reason"),
    [("landlock", "PermissionError"), ("seccomp", "PermissionError"), ("rlimits", "Too many open files")],
)
def test_each_of_three_walls_alone_keeps_files_away(make_sandbox, layer, reason):
    sandbox = make_sandbox(arguments={"modules": ["builtins", "os"]}, check=False, layers=[layer])
    result = attack(sandbox, FAILING["reading a file"])
    assert reason in result.item_errors[0][1]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
def test_a_worker_that_is_killed_or_stopped_is_replaced(make_sandbox, processes_of, monkeypatch, number):
    monkeypatch.setattr("evograft_sandbox.functions.worker.GRACE_SECONDS", 0.4)
    monkeypatch.setattr("evograft_sandbox.functions.worker.EXIT_SECONDS", 0.1)
    modules, limits = ["builtins", "os", "time"], FunctionLimits(cpu_seconds=0.3, wall_seconds=0.6)
    sandbox = make_sandbox(arguments={"modules": modules}, check=False, layers=[], limits=limits)
    worker = worker_of(sandbox)
    result = attack(sandbox, f"def f(x):\n    os.kill(os.getppid(), {int(number)})\n    time.sleep(1000)")
    assert result.error == "killed its sandbox worker"
    assert list(attack(sandbox, "def f(x):\n    return x").values) == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert processes_of(worker.marker) == []


@pytest.mark.long
@pytest.mark.parametrize("name", SPAWNING)
def test_without_any_wall_but_the_reaper_no_process_is_left(unwalled, processes_of, name):
    attack(unwalled, SPAWNING[name])
    worker = worker_of(unwalled)
    assert [process.pid for process in processes_of(worker.marker)] == [worker.process.pid]
