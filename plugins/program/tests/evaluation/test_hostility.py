"""Hostile candidates: where they share a process with their evaluator they can lie about themselves, and that is all."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from evograft_program.options import EvaluatorStyle

BETTER = "def solve():\n    return 2.0\n"
CHANNEL = """
import gc, os

def forge(kind, **fields):
    for each in gc.get_objects():
        if type(each).__name__ == "AnswerChannel":
            each.send(kind, **fields)

"""
LIES = {
    "a patched evaluator": """
import sys

def solve():
    for module in list(sys.modules.values()):
        for name in ("evaluate", "run_shinka_eval", "encode"):
            if hasattr(module, name):
                setattr(module, name, lambda *args, **kwargs: {"combined_score": 99.0})
    return 2.0
""",
    "patched builtins": """
import builtins, json

def solve():
    builtins.float = builtins.str = builtins.print = builtins.open = lambda *args, **kwargs: 99.0
    json.dumps = json.dump = lambda *args, **kwargs: '{"combined_score": 99.0}'
    return 2.0
""",
    "a forged answer": CHANNEL
    + """
def solve():
    forge("value", stage="", value={"combined_score": 99.0})
    os._exit(0)
""",
    "noise on every descriptor": """
import os

def solve():
    for descriptor in range(3, 1024):
        try:
            os.write(descriptor, b"99.0" * 10)
        except OSError:
            pass
    return 2.0
""",
    "results of its own": """
import json, os

def solve():
    for folder in ("results", "../results", "work/results"):
        if os.path.isdir(folder):
            for name, value in (("metrics", {"combined_score": 99.0}), ("correct", {"correct": True})):
                with open(f"{folder}/{name}.json", "w") as file:
                    json.dump(value, file)
    os._exit(0)
""",
    "handlers for later": """
import atexit, os, signal, sys, threading, time

def lie(*_):
    while True:
        os.write(1, b'99.0' * 10_000)

def solve():
    atexit.register(lie)
    sys.excepthook = sys.settrace = lie
    os._exit = lambda status: None
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1):
        signal.signal(number, lie)
    threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
    return 2.0
""",
}
FORGED = {
    "an error in the evaluator": """forge("error", error="NameError", message="x", frames=[
        {"file": EVALUATOR, "line": 1, "function": "evaluate", "text": "x"}])""",
    "something kept that is no base64": 'forge("value", stage="", value=1.0); forge("kept", value="a")',
    "something kept that is no ASCII": 'forge("value", stage="", value=1.0); forge("kept", value="\\udc80")',
    "a value of no form": 'forge("value", stage="", value={"$": "\\udc80", "v": 1})',
    "no value": 'forge("value")',
    "lone surrogates": 'forge("\\udc80", stage="\\udc80"); forge("error", error="\\udc80", message="\\udc80")',
    "frames of the wrong form": 'forge("error", error=5, frames=[{"file": 7, "line": 10**400}, 5, None])',
    "a time-out": 'forge("time-out")',
}
LEAVES = """
import os, sys

def solve():
    for folder, folders, _ in os.walk("/"):
        folders[:] = [each for each in folders if os.path.join(folder, each) not in ("/proc", "/sys")]
        try:
            open(os.path.join(folder, "left-behind"), "w").close()
        except OSError:
            pass
    if os.fork() == 0:
        os.setsid()
        os.closerange(0, 3)  # its evaluator does not wait for it
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(1e6)", "MARK"])
        os._exit(0)
    return 2.0
"""
LOOKS = """
import os

def find():
    for folder, folders, files in os.walk("/"):
        folders[:] = [each for each in folders if os.path.join(folder, each) not in ("/proc", "/sys")]
        if "left-behind" in files:
            yield folder
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if "MARK" in open(f"/proc/{process}/cmdline").read():
                yield process
        except OSError:
            pass

def solve():
    found = list(find())
    assert not found, found
    return 2.0
"""
READS = """
import os

def solve():
    found = [name for name, value in os.environ.items() if "hunter2" in value]
    for process in filter(str.isdigit, os.listdir("/proc")):
        for name in ("environ", "mem", "fd/0"):
            try:
                if "hunter2" in open(f"/proc/{process}/{name}", errors="replace").read(1 << 20):
                    found.append((process, name))
            except (OSError, ValueError):
                pass
    for path in PATHS:
        try:
            found.append(open(path).read() if os.path.isfile(path) else os.listdir(path))
        except OSError:
            pass
    assert not found, found
    return 2.0
"""
WRITES = """
import os

def solve():
    done = []
    for attempt in (
        lambda: open(TASK + "/evaluate.py", "a").write("x"),
        lambda: open(TASK + "/program.py", "w").write("x"),
        lambda: open(TASK + "/more.py", "w").write("x"),
        lambda: os.unlink(TASK + "/evaluate.py"),
        lambda: os.rename(TASK, TASK + "2"),
        lambda: os.chmod(TASK + "/evaluate.py", 0o777),
        lambda: os.truncate("evaluate.py", 0),
        lambda: os.symlink("/etc", TASK + "/link"),
    ):
        try:
            attempt()
            done.append(attempt)
        except OSError:
            pass
    assert not done, done
    return 2.0
"""
CONNECTS = """
import socket

def solve():
    try:
        socket.create_connection(("127.0.0.1", PORT), timeout=5)
    except OSError:
        return 2.0
    raise AssertionError("connected")
"""
LINKS = """
import os

def solve():
    for number, target in enumerate(("/etc/shadow", SECRET, "/", "/dev/zero", "link-0", "kept")):
        os.symlink(target, f"../candidate/link-{number}")
    os.symlink(SECRET, "../candidate/kept")
    return 2.0
"""


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_about_the_liar_only(evaluate, style, name):
    lie = evaluate(LIES[name])
    assert lie.score in (None, 2.0, 99.0)
    if style is EvaluatorStyle.COMMAND:
        assert lie.score != 99.0 or name == "noise on every descriptor"  # among them what its evaluator reads
    honest = evaluate(BETTER)
    assert (honest.score, honest.feedback) == (2.0, "")


@pytest.mark.parametrize("name", FORGED)
def test_no_message_of_a_candidate_ends_the_run(evaluate, tasks, style, name):
    evaluator = str(tasks / style.value / "evaluate.py")
    evaluation = evaluate(f"{CHANNEL}EVALUATOR = {evaluator!r}\ndef solve():\n    {FORGED[name]}\n    os._exit(0)\n")
    assert evaluation.status == "rejected"
    assert evaluate(BETTER).score == 2.0


def test_an_error_that_looks_like_the_evaluators_is_the_candidates(evaluate, tasks, style):
    evaluator = str(tasks / style.value / "evaluate.py")
    source = f"def solve():\n    exec(compile('nobody', {evaluator!r}, 'exec'))\n"
    assert evaluate(source).status == "rejected"
    assert evaluate(BETTER).score == 2.0


def test_files_and_processes_that_a_candidate_leaves_are_gone(evaluate, style):
    mark = f"left-by-{style.value}-{os.getpid()}"
    evaluate(LEAVES.replace("MARK", mark))
    assert evaluate(LOOKS.replace("MARK", mark)).score == 2.0
    if sys.platform == "linux":
        assert not any(mark in read_quietly(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


def read_quietly(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def test_keys_homes_and_the_runs_folder_are_out_of_reach(evaluate, tasks, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    paths = [str(tasks / "secret.txt"), str(tasks / "log.sqlite"), str(Path.home()), "/etc/shadow", "/proc/1/root/etc"]
    assert evaluate(f"PATHS = {paths!r}\n{READS}").score == 2.0


def test_the_task_cannot_be_changed(evaluate, tasks, style):
    folder = tasks / style.value
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert evaluate(f"TASK = {str(folder)!r}\n{WRITES}").score == 2.0
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_there_is_no_network(evaluate):
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert evaluate(f"PORT = {server.getsockname()[1]}\n{CONNECTS}").score == 2.0


def test_links_in_its_folder_lead_nowhere(evaluate, tasks):
    evaluation = evaluate(f"SECRET = {str(tasks / 'secret.txt')!r}\n{LINKS}")
    assert (evaluation.score, evaluation.kept) == (2.0, b"")
