"""The recipes of the docs for Slurm, carried out as they stand there on a real Slurm."""

import os
import re
import sys
from pathlib import Path

import pytest
import yaml
from cluster_runs import HELD
from hosts import wait_until

pytestmark = [pytest.mark.cluster, pytest.mark.slow]
PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"
RECIPES = ("slurm-dask.yaml", "slurm-parsl.yaml")


def read_recipe(title, **changes):
    """The section `executor` of a recipe; changes replace options of the cluster."""
    (block,) = re.findall(rf'^```yaml title="{title}"\n(.*?)^```$', PAGE.read_text(), re.MULTILINE | re.DOTALL)
    executor = yaml.safe_load(block)["executor"]
    if changes:
        executor["cluster"]["with"].update(changes)
    return executor


@pytest.fixture(autouse=True)
def environment_of_the_recipes(private_home, monkeypatch):
    """What the recipes activate."""
    (private_home / "evograft").mkdir()
    (private_home / "evograft" / ".venv").symlink_to(sys.prefix)
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin:{os.environ['PATH']}")


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_evaluates_on_the_nodes_what_one_machine_would(bed, slurm, title):
    run = bed.start(read_recipe(title), held_at=(HELD, HELD + 1))
    wait_until(lambda: {*bed.hosts_of(HELD), *bed.hosts_of(HELD + 1)} == {"node1", "node2"})
    bed.open_gate()
    bed.require_finished(run)
    wait_until(lambda: not slurm.find_jobs())


@pytest.mark.parametrize("title", RECIPES)
def test_a_job_that_is_cancelled_in_the_middle_costs_time_only(bed, slurm, title):
    run = bed.start(read_recipe(title), held_at=(HELD,))
    node = bed.wait_for(HELD).name
    slurm.tell("scancel", *slurm.find_jobs(node))
    bed.wait_for(HELD, times=2)
    bed.open_gate()
    bed.require_finished(run)


def test_nodes_that_urgent_jobs_take_away_cost_time_only(bed, slurm):
    run = bed.start(read_recipe("slurm-dask.yaml"), held_at=(HELD,))
    bed.wait_for(HELD)
    urgent = [slurm.tell("sbatch", "--parsable", "-p", "urgent", "--wrap", "sleep 1000").strip() for _ in range(2)]
    wait_until(lambda: set(slurm.find_jobs("node1", "node2")) == set(urgent))
    wait_until(lambda: "no worker is there" in str(bed.status()))
    slurm.tell("scancel", *urgent)
    bed.wait_for(HELD, times=2)
    bed.open_gate()
    bed.require_finished(run)


def test_a_walltime_that_ends_in_the_middle_costs_time_only(bed, slurm):
    run = bed.start(read_recipe("slurm-dask.yaml", walltime="00:01:00", worker_extra_args=[]), held_at=(HELD,))
    bed.wait_for(HELD, times=2)
    assert "Time limit exhausted" in (slurm.folder / "slurmctld.log").read_text()
    bed.open_gate()
    bed.require_finished(run)
