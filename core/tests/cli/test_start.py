"""Runs that the command of a plugin starts through the api, without the command line."""

import json
import time

import pytest

from evograft.api import UserError, open_run, start, writer_of

CALL = """
import dataclasses, json, sys
from pathlib import Path
from evograft import api

done = getattr(api, sys.argv[1])(*json.loads(sys.argv[2], object_hook=lambda d: Path(d["path"]) if "path" in d else d),
                                 **json.loads(sys.argv[3]))
print(json.dumps(dataclasses.asdict(done), default=str), file=sys.stderr)
"""


def call(runs, function, *arguments, **options):
    """What the api returned and printed, in a process of its own: a command that ends once it has started a run."""
    given = json.dumps(arguments, default=lambda path: {"path": str(path)})
    out, err = runs.start("-c", CALL, function, given, json.dumps(options)).communicate(timeout=120)
    return json.loads(err.splitlines()[-1]), out


def await_end(folder):
    end = time.monotonic() + 120
    while writer_of(folder) is not None and time.monotonic() < end:
        time.sleep(0.05)


def test_a_run_is_started_in_the_background_from_plain_data_and_says_nothing(runs, lab):
    folder = runs.folder / "mine"
    started, out = call(runs, "start", runs.pipeline(trials=4), folder, background=True)
    await_end(folder)
    assert (started["name"], started["folder"], started["exit_code"]) == ("mine", str(folder), 0)
    assert started["id"] == open_run(folder).id
    assert started["process"]
    assert out == ""
    assert len(runs.trials(folder)) == 4


def test_a_run_in_the_background_is_resumed_with_other_settings(runs, lab):
    folder = runs.run("mine", trials=4)
    resumed, out = call(runs, "resume", folder, ["budget.trials=6"], background=True)
    await_end(folder)
    assert resumed["process"]
    assert out == ""
    assert len(runs.trials(folder)) == 6


def test_a_run_here_prints_its_result_and_returns_its_exit_code(runs, lab):
    done, out = call(runs, "start", runs.pipeline(trials=4), runs.folder / "mine", as_json=True)
    assert json.loads(out)["trials"] == 4
    assert (done["exit_code"], done["process"]) == (0, None)


def test_settings_that_are_wrong_are_refused_and_leave_no_folder(runs, lab):
    with pytest.raises(UserError, match="the settings: "):
        start({"plugins": ["lab"], "trial": 4}, runs.folder / "mine")
    assert not (runs.folder / "mine").exists()
