"""Runs whose log is recorded as a session of a contest."""

import pytest

from evograft.config.loading import pipeline_from
from evograft.plugin.loading import ActivePlugin
from evograft.runs.index import open_run
from evograft.session.session import open_session
from evograft.session.start import start_run
from evograft_ahc.recorder import SessionRecorder
from evograft_ahc.settings.records import SessionRecordOptions
from evograft_hookspecs import CONTRACT, Manifest, hookimpl


class Watching:
    """A recorder as the observer of any run."""

    def __init__(self, recorder):
        self.recorder = recorder

    @hookimpl
    def observe(self, ctx, event):
        self.recorder.observe(event)

    def as_plugin(self):
        manifest = Manifest(name="recorder", contract=CONTRACT, thread_safe=True)
        return ActivePlugin("test", self, manifest, "evograft-ahc")


class Sessions:
    """Sessions of the lab plugin in a workspace."""

    def __init__(self, runs, workspace):
        self.runs = runs
        self.workspace = workspace

    def begin(self, name, *, options=None, **settings):
        """Returns the folder of a session that was worked on until its stop."""
        pipeline = pipeline_from(self.runs.pipeline(**settings), source="test")
        run = start_run(pipeline, runs=self.workspace.folder, folder=self.workspace.folder / name)
        self.go_on(run.path, options=options)
        return run.path

    def go_on(self, folder, *overrides, options=None):
        recorder = SessionRecorder(self.workspace, options or SessionRecordOptions(), problem_file="problem/problem.md")
        watching = Watching(recorder).as_plugin()
        with open_session(open_run(folder), observers=[watching], overrides=overrides) as kernel:
            kernel.run()


@pytest.fixture
def workspace(bare_workspace):
    return bare_workspace


@pytest.fixture
def sessions(runs, workspace):
    return Sessions(runs, workspace)
