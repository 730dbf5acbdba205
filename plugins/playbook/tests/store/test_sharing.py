"""Many processes on one file."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from evograft_playbook.store import PlaybookStore

FEEDBACK = """
import sys
from pathlib import Path
from evograft_playbook.store import PlaybookStore

path, number = Path(sys.argv[1]), int(sys.argv[2])
with PlaybookStore(path) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for turn in range(125):
        with store.changing(f"process {number}") as draft:
            draft.count(f"shr-0000{turn % 3 + 1}", helpful=turn % 2, harmful=1 - turn % 2)
"""
ADDING = """
import sys
from pathlib import Path
from evograft_playbook.store import PlaybookStore

store = PlaybookStore(Path(sys.argv[1]))
while True:
    with store.changing("to be killed") as draft:
        bullet = draft.add("shr", "committed")
    print(bullet.id, flush=True)
"""
BEGINNING = """
import sys
from pathlib import Path
from evograft_playbook.store import PlaybookStore

sys.stdin.readline()
with PlaybookStore(Path(sys.argv[1])) as store, store.changing("all at once") as draft:
    print(draft.add("shr", "mine").id)
"""
KILLED_AT_THE_COPY = """
import os, signal, sys
from pathlib import Path
from evograft_playbook.store import PlaybookStore, backup

backup.require_sound = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with PlaybookStore(Path(sys.argv[1])) as store, store.changing("to be killed") as draft:
    draft.add("shr", "committed")
"""


def start(program, *arguments):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(processes):
    """Lets them go all at once, and returns what they print."""
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    done = [process.communicate(timeout=120) for process in processes]
    assert [err for _, err in done] == [""] * len(processes)
    return [out for out, _ in done]


def test_of_1000_feedbacks_from_8_processes_none_is_lost(path):
    with PlaybookStore(path) as store, store.changing("test") as draft:
        for content in "abc":
            draft.add("shr", content)
    processes = [start(FEEDBACK, path, number) for number in range(8)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    finish(processes)
    with PlaybookStore(path) as store:
        bullets, history = store.load().bullets, store.history()
    assert sum(bullet.helpful + bullet.harmful for bullet in bullets) == 1000
    assert sum(bullet.helpful for bullet in bullets) == 8 * 62
    assert {sum(change.source == f"process {number}" for change in history) for number in range(8)} == {125}
    assert [change.seq for change in history] == list(range(1003, 0, -1))


def test_processes_that_make_the_same_playbook_at_once_share_it(path):
    printed = finish([start(BEGINNING, path) for _ in range(4)])
    assert sorted(each.strip() for each in printed) == [f"shr-0000{number}" for number in range(1, 5)]
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(".")] == []


def test_what_was_committed_before_a_kill_is_there_after_it(path):
    process = start(ADDING, path)
    seen = [process.stdout.readline().strip() for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    seen += rest.split()
    with PlaybookStore(path) as store:
        there = [bullet.id for bullet in store.load().bullets]
    # The one that was committed while the process was killed may not have been printed.
    assert there[: len(seen)] == seen
    assert len(there) - len(seen) <= 1
    assert path.with_name("playbook.sqlite.bak").exists()


def test_a_reader_sees_a_transaction_whole_or_not_at_all(store, path):
    with PlaybookStore(path) as reader:
        with store.changing("test") as draft:
            draft.add("shr", "a")
            assert reader.load().bullets == ()
            draft.add("shr", "b")
        assert len(reader.load().bullets) == 2


def test_threads_share_a_store(store):
    with store.changing("test") as draft:
        draft.add("shr", "a")

    def feedback(_):
        with store.changing("thread") as draft:
            draft.count("shr-00001", helpful=1)
        return store.get("shr-00001").helpful

    with ThreadPoolExecutor(8) as pool:
        assert max(pool.map(feedback, range(100))) == 100


def test_threads_that_close_their_own_stores_at_once_leave_a_copy_of_all(path):
    with PlaybookStore(path) as store, store.changing("test") as draft:
        draft.add("shr", "a")

    def feedback(_):
        with PlaybookStore(path) as own, own.changing("thread") as draft:
            draft.count("shr-00001", helpful=1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(feedback, range(40)))
    with PlaybookStore(path.with_name("playbook.sqlite.bak")) as copy:
        assert copy.get("shr-00001").helpful == 40


def test_what_a_process_that_is_killed_at_its_copy_leaves_is_gone_after_the_next_one(path):
    process = start(KILLED_AT_THE_COPY, path)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(".")] != []
    with PlaybookStore(path) as store:
        assert store.get("shr-00001").content == "committed"
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(".")] == []
    assert path.with_name("playbook.sqlite.bak").exists()
