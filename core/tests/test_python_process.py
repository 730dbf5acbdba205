"""Processes that a fork server starts for tests are like those that are started anew."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
from python_process import PythonProcess, run_evo, run_python

SEEN = """
import os, sys, signal, threading
print(sys.argv, sys.orig_argv[1:], sys.path, sys.flags, __name__, sys.modules["__main__"].__dict__ is globals())
print(os.getcwd(), sorted(os.environ.items()), sys.dont_write_bytecode, os.listdir("/proc/self/fd"))
print([(s.encoding, s.errors, s.line_buffering, s.newlines, s.isatty()) for s in (sys.stdin, sys.stdout, sys.stderr)])
print([signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGHUP)])
print(threading.active_count(), os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid(), sys.stdin.read())
"""


@pytest.fixture(params=["command", "script", "module"])
def arguments(request, tmp_path):
    (tmp_path / "seen.py").write_text(SEEN)
    return {"command": ("-c", SEEN), "script": ("seen.py",), "module": ("-m", "seen")}[request.param]


@pytest.mark.parametrize("alone", [True, False])
def test_a_program_sees_what_it_would_see_in_an_interpreter_that_starts(arguments, tmp_path, monkeypatch, alone):
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}/nowhere")
    monkeypatch.setenv("OWN", "ä")
    # Libraries of this process may have set variables that Python does not know of.
    environment = dict(os.environ)
    options = {"cwd": tmp_path, "env": environment, "start_new_session": alone, "text": True, "input": "typed"}
    started = subprocess.run([sys.executable, *arguments], capture_output=True, check=True, **options)
    assert run_python(*arguments, **options).stdout == started.stdout


@pytest.mark.parametrize(("code", "returncode"), [("", 0), ("exit(3)", 3), ("exit('why')", 1), ("1 / 0", 1)])
def test_it_ends_as_any_other(code, returncode):
    done = run_python("-c", code)
    assert done.returncode == returncode
    assert ("why" in done.stderr, "ZeroDivisionError" in done.stderr) == ("why" in code, "/" in code)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_it_is_signalled_by_its_id_and_its_group(number):
    code = "import time; print('up', flush=True); time.sleep(1000)"
    with PythonProcess("-c", code, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as it:
        assert it.stdout.read(2) == b"up"
        assert it.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            it.wait(timeout=0.01)
        os.killpg(it.pid, number)
        assert it.wait(timeout=60) == -number


def test_what_its_starter_ignores_it_ignores():
    code = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ignoring = run_python("-c", code)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (ignoring.stdout, run_python("-c", code).stdout) == ("True\n", "False\n")


def test_until_its_starter_has_waited_for_it_its_id_is_its_own():
    process = PythonProcess("-c", "")
    gone = psutil.Process(process.pid)
    while gone.status() != psutil.STATUS_ZOMBIE:
        os.sched_yield()
    os.kill(process.pid, 0)
    assert process.wait() == 0
    assert process.poll() == 0


def test_an_interpreter_is_started_anew_where_it_reads_other_variables_at_its_start(monkeypatch):
    code = "import sys, numpy; print(sys.flags.utf8_mode, 'evograft.kernel.kernel' in sys.modules)"
    assert run_python("-c", code).stdout == "0 True\n"
    assert run_python("-c", code, env={**os.environ, "PYTHONUTF8": "1"}).stdout == "1 False\n"


def test_a_process_leaves_nothing_to_the_next(tmp_path):
    code = "import json, os, sys; print(hasattr(json, 'left'), os.getenv('LEFT'), '/left' in sys.path); "
    leave = "json.left = 1; os.environ['LEFT'] = ''; sys.path.append('/left')"
    said = [run_python("-c", code + leave, cwd=tmp_path).stdout for _ in range(2)]
    assert said == ["False None False\n"] * 2


def test_evo_prints_what_it_would_print_in_an_interpreter_that_starts():
    started = subprocess.run([sys.executable, "-m", "evograft", "plugins"], capture_output=True, text=True, check=True)
    assert run_evo("plugins").stdout == started.stdout
