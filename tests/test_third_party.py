"""A plugin that somebody else wrote, built as a wheel outside the workspace, runs where evograft is installed from wheels."""

import json

import pytest

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


@pytest.fixture
def with_coin(environment, uv, tmp_path):
    """An environment with evograft and the islands, and with the stranger's plugin, all from wheels."""
    package = tmp_path / "elsewhere" / "coin_plugin"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PLUGIN)
    (package / "coin.yaml").write_text(PRESET)
    (package.parent / "pyproject.toml").write_text(PYPROJECT)
    uv("build", "--quiet", "--wheel", "--no-build-isolation", "--out-dir", tmp_path, package.parent)
    environment.install("evograft", *tmp_path.glob("*.whl"))
    return environment


def test_it_is_found_listed_and_run(with_coin, tmp_path):
    rows = {row["name"]: row for row in json.loads(with_coin.run("evo plugins --json", cwd=tmp_path))}
    assert set(rows) == {"coin", "islands"}
    assert rows["coin"]["origin"] == "someone-elses-coin 0.3"
    with_coin.run("evo run --plugin coin --json > result.json", cwd=tmp_path)
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["outcome"] == "complete"
    assert result["trials"] == 100
    assert result["best"]["evaluation"]["score"] > 8
    assert with_coin.run("evograft --version", cwd=tmp_path).startswith("evo, version")
