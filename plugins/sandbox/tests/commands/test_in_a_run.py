"""The sandbox of a pipeline, as the hooks of a run get it."""

from __future__ import annotations

import json
import sys

import pytest

from evograft.config.loading import pipeline_from
from evograft.errors import UserError
from evograft.session.lazy_sandbox import LazySandbox
from evograft_hookspecs import Context, SandboxUnavailable

PLUGIN = """
from evograft_hookspecs import *

class SumsOptions(NoOptions):
    opens_in: str = ""


class Sums:
    manifest = Manifest(name="sums", contract=CONTRACT, operators=(Operator(name="step"),))
    Options = SumsOptions

    def __init__(self, options):
        self.opens_in = options.opens_in
        self.session = None

    def open_in(self, hook):
        if hook == self.opens_in:
            self.sandbox.open()

    @hookimpl
    def setup_env(self, ctx):
        self.sandbox = ctx.sandbox
        self.open_in("setup_env" if ctx.role == "kernel" else "worker")
        if self.opens_in:
            return None
        return EnvironmentReport(done=tuple(f"{each.name} {each.detail}" for each in ctx.sandbox.layers()))

    @hookimpl
    def analyze(self):
        self.open_in("analyze")
        return Problem(name="p", statement="s", kind="sh", objective="o", seeds=({"main": "echo 1"},))

    @hookimpl
    def select(self, ctx, committed):
        self.open_in("select")
        return Selection(parents=(0,))

    @hookimpl
    def propose(self):
        self.open_in("propose")
        return (Proposal(id="p", operator="sums.step"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        self.open_in("mutate")
        source = f"echo {ctx.trial}"
        return Candidate.of(source, kind="sh", operator=proposal.operator, trial=ctx.trial, parents=(0,))

    @hookimpl
    def observe(self, ctx, event):
        self.open_in("observe")

    @hookimpl
    def evaluate(self, candidate):
        self.open_in("evaluate")
        if self.opens_in:
            return Evaluation(status="ok", score=0.0)
        self.session = self.session or self.sandbox.open()
        result = self.session.run(SandboxCommand(arguments=("sh",), stdin=candidate.source.encode()))
        return Evaluation(status="ok", score=float(result.stdout))
"""


@pytest.fixture
def sums(tmp_path, monkeypatch):
    """Installs the plugin above."""
    site = tmp_path / "site"
    info = site / "sums-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "sums.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sums\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[evograft.plugins]\nsums = sums:Sums\n")
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "sums", raising=False)


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_candidates_are_evaluated_in_the_sandbox_that_the_pipeline_names(sums, runs, tmp_path, executor):
    pipeline = {"plugins": ["sums"], "budget": {"trials": 8}, "sandbox": "process", "executor": executor}
    (tmp_path / "p.json").write_text(json.dumps(pipeline))
    done = runs.evo("run", "p.json", "--run-dir", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["best"]["evaluation"]["score"] == 7.0


def test_a_cache_that_cannot_be_written_to_costs_a_note_and_not_the_run(sums, runs, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    pipeline = {"plugins": ["sums"], "budget": {"trials": 3}, "sandbox": "process", "executor": "processes"}
    (tmp_path / "p.json").write_text(json.dumps(pipeline))
    done = runs.evo("run", "p.json", "--run-dir", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Note: cannot write to '/proc/nowhere/evograft'") == 1


def run_without_a_sandbox(runs, tmp_path, opens_in, executor):
    """A run whose plugin asks for a sandbox, in one of its hooks, where none can be had."""
    plugin = {"name": "sums", "with": {"opens_in": opens_in}}
    pipeline = {"plugins": [plugin], "budget": {"trials": 3}, "sandbox": "docker", "executor": executor}
    (tmp_path / "p.json").write_text(json.dumps(pipeline))
    return runs.evo("run", "p.json", "--run-dir", tmp_path / "run", "--json")


@pytest.mark.parametrize("hook", ["setup_env", "analyze", "select", "propose", "mutate", "evaluate"])
def test_a_missing_sandbox_is_nobodys_fault_in_whichever_hook_it_shows(sums, runs, tmp_path, hook):
    done = run_without_a_sandbox(runs, tmp_path, hook, "threads")
    assert done.returncode == 4, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert line.startswith("Error: no sandbox for commands: ")
    assert "plugin" not in line


@pytest.mark.parametrize("hook", ["worker", "evaluate"])
def test_a_sandbox_that_is_missing_in_a_worker_process_ends_the_run_likewise(sums, runs, tmp_path, hook):
    done = run_without_a_sandbox(runs, tmp_path, hook, "processes")
    assert done.returncode == 4, done.stderr
    assert "Error: no sandbox for commands: " in done.stderr


def test_an_observer_without_a_sandbox_is_left_out_and_the_run_goes_on(sums, runs, tmp_path):
    done = run_without_a_sandbox(runs, tmp_path, "observe", "threads")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "complete"


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("dokcer", "sandbox.driver: 'dokcer' unknown; did you mean 'docker'"),
        ({"driver": "process", "scratch": 3}, "sandbox: unknown key 'scratch'; did you mean 'scratch_mb'"),
    ],
)
def test_a_misspelt_sandbox_is_an_error_before_anything_runs(lab, runs, tmp_path, section, message):
    (tmp_path / "p.json").write_text(json.dumps({"plugins": ["lab"], "sandbox": section}))
    done = runs.evo("run", "p.json", "--run-dir", tmp_path / "run")
    assert done.returncode == 2
    assert message in done.stderr


def test_a_sandbox_that_nobody_asks_for_is_never_started(monkeypatch):
    section = pipeline_from({"plugins": ["x"], "sandbox": "nonexistent"}, source="test").sandbox
    sandbox = LazySandbox(section, run="r")
    sandbox.close()
    with pytest.raises(UserError, match="nonexistent"):
        sandbox.open()


def test_a_context_that_no_kernel_made_has_no_sandbox(tmp_path):
    ctx = Context(trial=0, seed=0, scratch=tmp_path, generation_size=1, llm=None, tools=None, history=None)
    assert ctx.sandbox.layers() == ()
    with pytest.raises(SandboxUnavailable):
        ctx.sandbox.open()
