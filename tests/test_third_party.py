"""A plugin that somebody else wrote, built as a wheel outside the workspace, runs where evograft is installed from wheels."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PLUGIN = """
from evograft_hookspecs import *


class Coin:
    manifest = Manifest(name="coin", contract=CONTRACT, operators=(Operator(name="flip"),), preset="coin.yaml")
    Options = NoOptions

    def __init__(self, options):
        self.options = options

    @hookimpl
    def analyze(self):
        return Problem(name="coin", statement="Many ones.", kind="bits", objective="ones", seeds=({"main": "0" * 16},))

    @hookimpl
    def propose(self, selection):
        return (Proposal(id="flip", operator="coin.flip"),) if selection.parents else ()

    @hookimpl
    def mutate(self, ctx, proposal, parents):
        bits = list(parents[0].candidate.source)
        bits[ctx.rng.randrange(16)] = ctx.rng.choice("01")
        return Candidate.of(
            "".join(bits), kind="bits", operator=proposal.operator, trial=ctx.trial, parents=(parents[0].number,)
        )

    @hookimpl
    def evaluate(self, candidate):
        return Evaluation(status="ok", score=float(candidate.source.count("1")))
"""

PRESET = """
name: coin
plugins:
  - coin
  - name: islands
    with: {when_empty: borrow, islands: [{name: only, temperature: 0.5, strategy: refine}]}
executor: {driver: processes, workers: 2}
budget: {trials: 100}
"""

PYPROJECT = """
[project]
name = "someone-elses-coin"
version = "0.3"
dependencies = ["evograft-hookspecs", "evograft-islands"]

[project.entry-points."evograft.plugins"]
coin = "coin_plugin:Coin"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["coin_plugin"]
"""


def run(*command, cwd):
    done = subprocess.run([*map(str, command)], cwd=cwd, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def environment(tmp_path):
    """An environment with evograft and the islands, and with the stranger's plugin, all from wheels."""
    package = tmp_path / "elsewhere" / "coin_plugin"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PLUGIN)
    (package / "coin.yaml").write_text(PRESET)
    (package.parent / "pyproject.toml").write_text(PYPROJECT)
    wheels = tmp_path / "wheels"
    for source in (ROOT / "hookspecs", ROOT / "core", ROOT / "plugins" / "islands", package.parent):
        run("uv", "build", "--wheel", "--no-build-isolation", "--out-dir", wheels, source, cwd=ROOT)
    run("uv", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run("uv", "pip", "install", "--python", python, *sorted(wheels.glob("*.whl")), cwd=tmp_path)
    return tmp_path / "venv" / "bin"


def test_it_is_found_listed_and_run(environment, tmp_path):
    rows = {row["name"]: row for row in json.loads(run(environment / "evo", "plugins", "--json", cwd=tmp_path))}
    assert set(rows) == {"coin", "islands"}
    assert rows["coin"]["origin"] == "someone-elses-coin 0.3"
    result = json.loads(run(environment / "evo", "run", "--plugin", "coin", "--json", cwd=tmp_path))
    assert result["outcome"] == "complete"
    assert result["trials"] == 100
    assert result["best"]["evaluation"]["score"] > 8
    assert run(environment / "evograft", "--version", cwd=tmp_path).startswith("evo, version")
