"""The files that a run was started with travel with its log: it goes on where they never were."""

from __future__ import annotations

import json
import shutil

import pytest

pytestmark = pytest.mark.postgres

PROGRAM = "X = 3.5\nY = 4.5\n\n\ndef point():\n    return X, Y\n"
EVALUATOR = """
from pathlib import Path

def evaluate(program_path):
    names = {}
    exec(Path(program_path).read_text(), names)
    x, y = names["point"]()
    return {"combined_score": -(x * x + y * y) - Path(__file__).with_name("data.bin").stat().st_size}
"""


@pytest.fixture
def task(tmp_path):
    folder = tmp_path / "valley"
    (folder / "more").mkdir(parents=True)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "evaluate.py").write_text(EVALUATOR)
    (folder / "data.bin").write_bytes(bytes(range(256)))
    (folder / "more" / "tool").write_text("#!/bin/sh\n")
    (folder / "more" / "tool").chmod(0o755)
    return folder


@pytest.fixture
def begun(runs, task, tmp_path):
    """`begun(name, *settings)`: the folder of a run of six trials."""

    def begin(name, *settings):
        path = tmp_path / name
        files = (task / "program.py", task / "evaluate.py")
        done = runs.evo("evolve", *files, "--trials", "6", "--set", "sandbox=process", *settings, "--run-dir", path)
        assert done.returncode == 0, done.stderr
        return path

    return begin


def in_database(database):
    return ("--set", "store.driver=postgres", "--set", f"store.url={database}")


def count_trials(runs, run):
    return json.loads(runs.evo("status", run, "--json").stdout)["trials"]


def resume(runs, run, trials):
    done = runs.evo("resume", run, "--set", f"budget.trials={trials}")
    assert done.returncode == 0, done.stderr
    assert count_trials(runs, run) == trials


def test_a_run_goes_on_on_a_machine_that_never_had_its_files(runs, begun, task, database, elsewhere):
    path = begun("valley-run", *in_database(database))
    shutil.rmtree(path)
    shutil.rmtree(task)
    elsewhere()
    resume(runs, f"{database}#valley-run", 12)


def test_who_began_a_run_goes_on_with_it_after_another_machine_has(runs, begun, database, elsewhere, tmp_path):
    path = begun("valley-run", *in_database(database))
    elsewhere()
    resume(runs, f"{database}#valley-run", 9)
    resume(runs, path, 12)
    assert (path / "task" / "more" / "tool").stat().st_mode & 0o111


@pytest.mark.parametrize("grown", [False, True])
def test_copies_have_the_files_both_ways(runs, begun, task, database, elsewhere, tmp_path, grown):
    path = begun("valley-run")
    assert runs.evo("copy", path, database).returncode == 0
    if grown:
        resume(runs, path, 8)
        assert runs.evo("copy", path, database).returncode == 0
    shutil.rmtree(path)
    shutil.rmtree(task)
    elsewhere()
    back = tmp_path / "back"
    copied = runs.evo("copy", f"{database}#valley-run", back)
    assert copied.returncode == 0, copied.stderr
    assert (back / "task" / "data.bin").read_bytes() == bytes(range(256))
    resume(runs, back, 12)
    resume(runs, f"{database}#valley-run", 10)


def test_a_copy_in_a_folder_does_not_need_the_original(runs, begun, tmp_path):
    path = begun("valley-run")
    for _ in range(2):
        assert runs.evo("copy", path, tmp_path / "copy").returncode == 0
    shutil.rmtree(path)
    resume(runs, tmp_path / "copy", 12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DELETE FROM evograft.documents WHERE name LIKE 'attached/%'", "the store lacks"),
        ("UPDATE evograft.documents SET content = 'x' WHERE name LIKE 'attached/%'", "or holds it changed"),
        (
            """UPDATE evograft.documents SET content = '[{"path": "../out", "digest": "0"}]' WHERE name = 'attached.json'""",
            "outside of its folder",
        ),
    ],
)
def test_files_that_a_store_has_changed_are_not_used(runs, begun, database, shared_server, elsewhere, change, words):
    path = begun("valley-run", *in_database(database))
    shared_server.sql(change, database.rpartition("/")[2])
    shutil.rmtree(path)
    elsewhere()
    done = runs.evo("resume", f"{database}#valley-run", "--set", "budget.trials=12")
    assert (done.returncode, words in done.stderr) == (4, True), done.stderr
    assert not list(runs.folder.glob("**/out"))
