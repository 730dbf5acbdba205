"""A run whose seed programs are all worth nothing stops and says why; one of several is a note."""

import pytest

from evograft.errors import PluginError, ServiceError
from evograft.kernel.seeds import require_seed
from evograft.plugin.loading import ActivePlugin
from evograft_hookspecs import CONTRACT, Candidate, Evaluation, Manifest, Trial

EVALUATOR = ActivePlugin("judge", None, Manifest(name="judge", contract=CONTRACT), "judges 1.0")
OK = Evaluation(status="ok", score=1.0)
REJECTED = Evaluation.rejected("no such function")
FAILED = Evaluation(status="failed", reason="the machine is gone")


def seeds(*evaluations):
    return [
        Trial(
            number=number,
            view=0,
            candidate=Candidate.of("x", kind="k", operator="kernel.seed", trial=number),
            evaluation=each,
        )
        for number, each in enumerate(evaluations)
    ]


def test_one_seed_that_works_is_enough_and_so_is_none_at_all():
    require_seed(seeds(REJECTED, OK, FAILED), evaluator=EVALUATOR)
    require_seed([], evaluator=EVALUATOR)


@pytest.mark.parametrize(
    ("evaluations", "kind", "words"),
    [
        ([REJECTED], PluginError, "the seed program was rejected"),
        ([FAILED, REJECTED], PluginError, "all 2 seed programs were rejected"),
        ([FAILED, FAILED], ServiceError, "all 2 seed programs could not be evaluated"),
    ],
)
def test_seeds_that_are_all_worth_nothing_end_the_run(evaluations, kind, words):
    with pytest.raises(kind, match=words) as caught:
        require_seed(seeds(*evaluations), evaluator=EVALUATOR)
    assert evaluations[0].reason in str(caught.value)
    assert not caught.value.is_resumable


@pytest.mark.parametrize("trials", [2, 20])
def test_all_seeds_rejected_is_never_complete(runs, trials):
    done = runs.evo("run", runs.write(trials=trials, with_={"rejected_at": [0, 1], "seeds": 2}))
    assert done.returncode == 3
    assert done.stdout == ""
    error = done.stderr.strip().splitlines()[-1]
    assert "all 2 seed programs were rejected, so there is nothing to evolve: rejected on demand" in error
    assert "start another run" in error
    assert "evo resume" not in error
    again = runs.evo("resume", "lab-1")
    assert (again.returncode, again.stdout) == (3, "")
    assert len(runs.trials(runs.folder / "runs" / "lab-1")) == 2


def test_a_seed_that_is_rejected_beside_others_is_told_once_and_the_run_goes_on(runs):
    done = runs.evo("run", runs.write(trials=8, with_={"rejected_at": [1], "seeds": 3}))
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("seed program 1 was rejected: rejected on demand") == 1
