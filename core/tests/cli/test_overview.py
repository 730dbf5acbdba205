"""The list of all runs: where each lies, how it stands, and nothing that one of them says in another's column."""

import json
import os
from contextlib import suppress

import pytest

from evograft.config.yaml_file import MOST_NESTED, parse_yaml
from evograft.errors import UserError
from evograft.runs.index import open_run
from evograft.session.session import open_session

LONG = "this reason is far longer than any column of a list should ever be, whatever else stands in it"


def test_every_run_is_listed_with_its_state_age_id_and_folder(runs, tmp_path):
    assert runs.evo("run", runs.write(trials=12)).returncode == 0
    elsewhere = tmp_path / "elsewhere" / "out"
    assert runs.evo("run", runs.write(trials=7), "--run-dir", elsewhere).returncode == 0
    done = runs.evo("status", "--all")
    head, usual, other = done.stdout.splitlines()
    assert head.split() == ["RUN", "STATE", "TRIALS", "BEST", "CHANGED", "ID", "FOLDER"]
    assert usual.split()[:3] == ["lab-1", "complete", "12/12"]
    assert "s ago" in usual
    assert usual.split()[-1] == "runs/lab-1"
    assert other.split()[0] == "out*"
    assert other.split()[-1] == "elsewhere/out"
    assert "* not in runs" in done.stderr
    standings = json.loads(runs.evo("status", "--all", "--json").stdout)
    assert [standing["id"] for standing in standings] == [usual.split()[-2], other.split()[-2]]


def test_a_long_reason_leaves_the_other_columns_where_they_are(runs):
    runs.run("runs/short", trials=5)
    with open_session(open_run(runs.run("runs/long", trials=5)), overrides=["budget.trials=90"]) as kernel:
        kernel.requests.stop(f"stopped by {LONG}")
        kernel.run()
    head, *rows = runs.evo("status", "--all").stdout.splitlines()
    place = head.index("FOLDER")
    assert sorted(row[place:] for row in rows) == ["runs/long", "runs/short"]
    assert "stopped by this reason" in "".join(rows)
    assert LONG not in "".join(rows)


def test_a_name_beside_all_is_a_pattern_of_names(runs):
    for name in ("tsp-1", "tsp-2", "other"):
        runs.run(f"runs/{name}", trials=3)
    listed = runs.evo("status", "--all", "tsp-*").stdout.splitlines()[1:]
    assert [line.split()[0] for line in listed] == ["tsp-1", "tsp-2"]
    done = runs.evo("status", "--all", "sat-*")
    assert done.returncode == 2
    assert "no run is called 'sat-*'" in done.stderr


def test_a_run_that_cannot_be_read_is_named_and_the_others_are_listed(runs):
    runs.run("runs/sound", trials=3)
    (runs.run("runs/damaged", trials=3) / "pipeline.lock.yaml").write_text("id: [")
    done = runs.evo("status", "--all")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["sound"]
    assert done.stderr.startswith("runs/damaged: ")


@pytest.mark.parametrize("opening", ["[", "- ", "? ", "{a: "])
@pytest.mark.parametrize("levels", [MOST_NESTED // 2, 100_000])
def test_settings_that_are_nested_beyond_all_reason_end_no_process(opening, levels):
    # Whether it is refused hangs on what it opens; a crash of the parser would end the tests.
    with suppress(UserError):
        parse_yaml(opening * levels, source="deep.yaml")


@pytest.mark.parametrize("command", [["status"], ["show"], ["stop"], ["resume"], ["export"]])
def test_a_name_that_is_too_long_for_a_file_is_the_users_mistake(runs, command):
    done = runs.evo(*command, "x" * 300)
    assert done.returncode == 2
    assert "no run" in done.stderr


def test_a_terminal_without_unicode_gets_escapes_instead_of_a_bug(runs):
    plain = {**os.environ, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = runs.evo_apart("show", "ün í 走", env=plain)
    assert done.returncode == 2
    assert "no run" in done.stderr
