"""POSIX semaphores and shared memory: processes of one command have them, and nobody after it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from evograft_hookspecs import SandboxCommand, SandboxLimits

LIMITS = SandboxLimits(cpu_seconds=20.0, wall_seconds=60.0, processes=16)
POOL = b"""
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor

def square(n):
    return n * n

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(4)))
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(square, range(4))))
    queue = multiprocessing.Queue()
    queue.put("through a queue")
    print(queue.get())
"""
LEAVES = b"""
import os
from multiprocessing import shared_memory
memory = shared_memory.SharedMemory("left", create=True, size=100)
open("/dev/shm/file", "w").write("left")
print(sorted(os.listdir("/dev/shm")), flush=True)
os._exit(0)
"""
LOOKS = b"""
import os
try:
    print(os.listdir("/dev/shm"), flush=True)
except OSError as error:
    print(type(error).__name__, flush=True)
"""
OPENS = b"""
import os
for change in (lambda: os.chmod("/dev/shm", 0o777), lambda: os.chown("/dev/shm", os.getuid(), -1)):
    try:
        change()
        print("done")
    except OSError:
        print("refused")
"""
FILLS = b"""
try:
    with open("/dev/shm/large", "wb") as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
except OSError as error:
    print(error.strerror)
"""


@pytest.fixture(scope="module", params=["process", "bwrap"])
def session(request):
    with closing(request.getfixturevalue(request.param).open(python=True)) as session:
        if request.param == "process" and not session.has_any("namespaces"):
            pytest.skip("there is no file system of its own")
        yield session


def python(session, source: bytes, *arguments: str) -> SandboxCommand:
    session.write({"main.py": source})
    return SandboxCommand(
        arguments=(session.python, "main.py", *arguments), inputs={"main.py": "main.py"}, limits=LIMITS
    )


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_a_command_share_a_pool_and_a_queue(session, method):
    result = session.run(python(session, POOL, method))
    assert result.stdout.decode().splitlines() == ["[0, 1, 4, 9]", "[0, 1, 4, 9]", "through a queue"], result.stderr


def test_nothing_is_left_for_the_next_command(session):
    assert session.run(python(session, LEAVES)).stdout == b"['file', 'left']\n"
    assert session.run(python(session, LOOKS)).stdout == b"[]\n"
    assert not Path("/dev/shm/left").exists()


def test_a_candidate_cannot_open_its_shared_memory_to_its_judge(session):
    if not session.has_any("user"):
        pytest.skip("candidates have the runner's user")
    assert session.run(python(session, OPENS)).stdout == b"refused\nrefused\n"


def test_a_judge_has_none(session):
    command = python(session, LOOKS)
    listening = SandboxCommand(arguments=(session.python, "-c", "import sys; sys.stdin.read()"))
    _, judge = session.run_interactive(listening, command)
    assert judge.exit_code == 0
    session.write({"judge.py": LOOKS.replace(b"flush=True", b"file=__import__('sys').stderr")})
    judged = SandboxCommand(arguments=(session.python, "judge.py"), inputs={"judge.py": "judge.py"}, limits=LIMITS)
    _, judge = session.run_interactive(listening, judged)
    assert judge.stderr == b"PermissionError\n"


def test_it_cannot_fill_the_machines_memory(session):
    result = session.run(python(session, FILLS))
    assert result.stdout in (b"No space left on device\n", b"File too large\n")
