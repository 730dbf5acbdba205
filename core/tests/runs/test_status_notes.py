"""Notes of plugins about the best trial of a run."""

from importlib.metadata import EntryPoint

import pytest

from evograft.runs import status_notes
from evograft.runs.index import open_run
from evograft.runs.status import read_status
from evograft.runs.status_notes import StatusNotes

MODULE = """
def praise(trial):
    yield f"trial {trial.number} is fine"

def broken(trial):
    raise RuntimeError("no words")
"""


@pytest.fixture
def say(tmp_path, monkeypatch):
    """Return a function that installs entry points for a plugin."""

    def install(plugin, *functions):
        (tmp_path / "talkative.py").write_text(MODULE)
        monkeypatch.syspath_prepend(tmp_path)
        entries = [EntryPoint(plugin, f"talkative:{name}", status_notes.GROUP) for name in functions]
        monkeypatch.setattr(status_notes, "installed", lambda group: {plugin: entries})

    return install


def test_a_plugin_of_the_run_says_something_about_its_best_trial(runs, say):
    path = runs.run("short", trials=5)
    plugin = open_run(path).pipeline.plugins[0].name
    say(plugin, "praise")
    status = read_status(path)
    assert status.notes == (f"trial {status.best_trial} is fine",)


def test_a_plugin_that_fails_is_named(runs, say):
    path = runs.run("short", trials=5)
    plugin = open_run(path).pipeline.plugins[0].name
    say(plugin, "broken")
    (note,) = read_status(path).notes
    assert note == f"plugin {plugin!r} (no distribution) failed to say something about it: RuntimeError('no words')"


def test_plugins_that_have_no_part_in_a_run_are_not_asked(say):
    say("other", "praise")
    assert StatusNotes(["one"]).find(None) == ()
    assert StatusNotes(["one"])._entries == []
