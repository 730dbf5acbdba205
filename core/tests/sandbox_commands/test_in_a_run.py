"""The sandbox of a pipeline, as the hooks of a run get it."""

from __future__ import annotations

import json
import sys

import pytest

from evograft.config import pipeline_from
from evograft.errors import UserError
from evograft.sandboxes import LazySandbox
from evograft_hookspecs import Context, SandboxUnavailable

PLUGIN = """
from evograft_hookspecs import *

class Sums:
    manifest = Manifest(name="sums", contract=CONTRACT, operators=(Operator(name="step"),))
    Options = NoOptions

    def __init__(self, options):
        self.session = None

    @hookimpl
    def setup_env(self, ctx):
        self.sandbox = ctx.sandbox
        return EnvironmentReport(done=tuple(f"{each.name} {each.detail}" for each in ctx.sandbox.layers()))

    @hookimpl
    def analyze(self):
        return Problem(name="p", statement="s", kind="sh", objective="o", seeds=({"main": "echo 1"},))

    @hookimpl
    def select(self, ctx, told):
        return Selection(parents=(0,))

    @hookimpl
    def propose(self):
        return (Proposal(id="p", operator="sums.step"),)

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        source = f"echo {ctx.trial}"
        return Candidate.of(source, kind="sh", operator=proposal.operator, trial=ctx.trial, parents=(0,))

    @hookimpl
    def evaluate(self, candidate):
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
