"""What differs from system to system, as far as that can be seen on one."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import time

import pytest

from evograft.concurrency.file_lock import BSD, LINUX, find_lock_holder, layout_of
from evograft_sandbox import process_owner
from evograft_sandbox.process_owner import ProcessOwner

HOLDS = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
WITHOUT_FCNTL = "import sys; sys.modules['fcntl'] = None; from evograft.cli import main; main()"


def test_the_holder_of_a_lock_is_told_and_keeps_it(tmp_path):
    path = tmp_path / "run.lock"
    path.touch()
    command = [sys.executable, "-c", HOLDS, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with path.open("rb") as file:
            assert find_lock_holder(file) == holder.pid
        holder.stdin.close()
    with path.open("rb") as file:
        assert find_lock_holder(file) is None


@pytest.mark.parametrize(
    ("platform", "held", "free"),
    [
        ("linux", struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 77), struct.pack("hhqqi", fcntl.F_UNLCK, 0, 0, 0, 0)),
        ("darwin", struct.pack("qqihh", 0, 0, 77, fcntl.F_WRLCK, 0), struct.pack("qqihh", 0, 0, 0, fcntl.F_UNLCK, 0)),
        (
            "freebsd14",
            struct.pack("qqihhi", 0, 0, 77, fcntl.F_WRLCK, 0, 0),
            struct.pack("qqihhi", 0, 0, 0, fcntl.F_UNLCK, 0, 0),
        ),
    ],
)
def test_a_lock_is_read_as_its_system_writes_it(platform, held, free):
    layout = layout_of(platform)
    assert layout.holder(held) == 77
    assert layout.holder(free) is None
    assert layout.question().startswith(
        struct.pack(layout.format, *(fcntl.F_WRLCK * (f == "kind") for f in layout.fields))
    )


def test_macos_and_linux_order_the_fields_of_a_lock_differently():
    assert LINUX.fields.index("kind") == 0
    assert BSD.fields[-2:] == ("kind", "whence")


def test_a_process_knows_itself_and_is_not_gone():
    assert not ProcessOwner.from_label(ProcessOwner.current().to_label()).is_gone()


def test_without_proc_the_start_of_a_process_is_asked_of_ps():
    started = process_owner._seconds(os.getpid())
    if started is None:
        pytest.skip("no ps here")
    assert time.time() - 24 * 3600 < started <= time.time() + 1
    assert process_owner._seconds(2**22 + 1) is None


def test_where_nothing_tells_the_start_only_a_process_that_is_not_there_is_gone():
    current = ProcessOwner.current()
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    assert not ProcessOwner(current.host, current.boot, os.getpid(), 0).is_gone()
    assert ProcessOwner(current.host, current.boot, ended.pid, 0).is_gone()


@pytest.mark.parametrize("arguments", [("status",), ("run", "--plugin", "x"), ()])
def test_without_locks_of_files_as_on_windows_one_line_says_what_to_use(arguments):
    command = [sys.executable, "-c", WITHOUT_FCNTL, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"Error: evograft does not run on {sys.platform}: use Linux, or WSL on Windows\n"
