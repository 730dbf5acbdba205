"""Studies: programs are asked for, scores are told, and all of it is a run like any other."""

import json
import math

import numpy as np
import pytest

import evograft
from evograft.errors import UserError


def distance(source):
    names = {}
    exec(source, names)
    return math.hypot(*names["point"]())


def work(study, rounds, *, backwards=False):
    """Tells the scores of all that can be asked for, again and again; returns what was proposed, by number."""
    proposed = {}
    for _ in range(rounds):
        trials = study.ask_all()
        proposed |= {trial.number: trial.source for trial in trials}
        for trial in reversed(trials) if backwards else trials:
            study.tell(trial, {"combined_score": -distance(trial.source), "length": len(trial.source)})
    return proposed


def test_a_study_proposes_programs_and_keeps_the_scores_it_is_told(halved, program, runs):
    with evograft.study(program, **halved, folder="told") as study:
        first = study.ask()
        assert (first.number, first.source, dict(first.files)) == (0, program, {"main": program})
        study.tell(first, -distance(first.source))
        second = study.ask()
        assert "X = 1.75" in second.source
        study.tell(second, -distance(second.source))
        third = study.ask()
        assert study.best.source == second.source
        assert [trial.number for trial in study.open_trials] == [third.number]
    status = json.loads(runs.evo("status", "told", "--json").stdout)
    assert (status["best_score"], status["last_stop"]) == (-distance(second.source), "study closed")
    assert runs.evo("report", "told").returncode == 0


def test_metrics_and_numbers_of_numpy_are_told_as_they_are(halved, program):
    with evograft.study(program, **halved) as study:
        study.tell(study.ask(), {"combined_score": np.float32(2.0), "length": np.int64(3)})
        study.ask()
        assert (study.best.score, dict(study.best.metrics)) == (2.0, {"combined_score": 2.0, "length": 3.0})


def test_less_is_better_where_that_is_said(halved, program):
    with evograft.study(program, minimise=True, **halved) as study:
        for _ in range(2):
            trial = study.ask()
            study.tell(trial, distance(trial.source))
        study.ask()
        assert study.best.source == trial.source
        assert study.best.score == -distance(trial.source)


@pytest.mark.parametrize(
    ("refuse", "reason"),
    [
        (lambda study, trial: study.fail(trial, "does not compile"), "does not compile"),
        (lambda study, trial: study.tell(trial, math.nan), "the score is nan"),
    ],
)
def test_a_failure_and_a_score_that_is_no_number_are_rejected_with_the_reason(halved, program, refuse, reason):
    with evograft.study(program, **halved) as study:
        study.tell(study.ask(), 1.0)
        refuse(study, study.ask())
    assert reason in study.run.status.failures


def test_what_is_no_score_is_refused_and_the_trial_stays_open(halved, program):
    with evograft.study(program, **halved) as study:
        trial = study.ask()
        with pytest.raises(UserError, match=r"^study.tell: this is str, not a number or a dict of metrics$"):
            study.tell(trial, "good")
        with pytest.raises(
            UserError, match=r"^study.tell: these metrics have no 'combined_score', which is the score$"
        ):
            study.tell(trial, {"length": 3})
        study.tell(trial, 1)
        with pytest.raises(UserError, match="trial 0 is not open: it was told already, or never asked for"):
            study.tell(trial, 1)


def test_several_trials_are_open_at_a_time_and_telling_them_in_another_order_proposes_the_same(halved, program):
    proposed = []
    for backwards in (False, True):
        with evograft.study(program, window=4, seed=5, **halved) as study:
            proposed.append(work(study, 6, backwards=backwards))
    assert proposed[0] == proposed[1]
    assert len(proposed[0]) > 6


def test_asking_for_more_than_can_be_open_says_what_has_to_be_told(halved, program):
    with evograft.study(program, **halved) as study:
        study.ask()
        with pytest.raises(UserError, match="no other trial opens before these are told: 0"):
            study.ask()


def test_a_study_ends_with_its_budget_and_its_last_word_is_what_it_was_told(halved, program):
    settings = {**halved["settings"], "budget.trials": 4}
    with evograft.study(program, plugins=halved["plugins"], settings=settings) as study:
        for trial in study:
            study.tell(trial, -distance(trial.source))
        with pytest.raises(UserError, match=r"study study-1 has ended: all trials are done"):
            study.ask()
    assert (study.run.status.state, study.run.status.trials, study.run.status.judged) == ("complete", 4, True)


def test_a_closed_study_is_continued_with_the_trials_that_were_open(halved, program):
    with evograft.study(program, window=3, **halved) as study:
        work(study, 2)
        before = study.ask_all()
    told = study.run.status.trials
    with evograft.study(resume=study.folder) as again:
        after = again.ask_all()
        assert [(trial.number, trial.source) for trial in after] == [(each.number, each.source) for each in before]
        assert again.run.status.trials == told


KILLED = """
import os, signal, sys
import evograft

study = evograft.study(sys.argv[1], window=3, plugins=["halving"], settings={"owners.evaluate": "program"}, folder="dead")
for _ in range(3):
    for trial in study.ask_all():
        study.tell(trial, -float(len(trial.source)))
open_trials = study.ask_all()
print(study.run.status.trials, [trial.number for trial in open_trials], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_study_has_lost_nothing_that_was_told(halved, program, runs):
    (runs.folder / "killed.py").write_text(KILLED)
    process = runs.start("killed.py", program)
    line = process.communicate()[0]
    told, _, numbers = line.strip().partition(" ")
    assert process.returncode == -9
    with evograft.study(resume="dead") as study:
        assert study.run.status.trials == int(told)
        assert [trial.number for trial in study.ask_all()] == json.loads(numbers)


def test_only_python_continues_a_study_and_only_a_study_is_continued_so(halved, program, runs):
    with evograft.study(program, **halved, folder="told") as study:
        study.tell(study.ask(), 1)
        study.ask()
    done = runs.evo("resume", "told")
    assert done.returncode == 2
    assert "continue it in Python with evograft.study(resume=RUN)" in done.stderr
    lab = runs.run("lab", trials=3)
    with pytest.raises(UserError, match=r"run 'lab' evaluates by itself: continue it with evograft\.resume"):
        evograft.study(resume=lab)


def test_a_study_that_is_open_is_not_opened_again_in_the_same_process(halved, program):
    with evograft.study(program, **halved) as study:
        study.ask()
        again = evograft.study(resume=study.folder)
        with pytest.raises(UserError, match="is being worked on by this very process"):
            again.ask()
        assert evograft.open(study.folder).status.state == "running"


def test_options_that_do_not_fit_are_refused_before_anything_is_made(halved, program, tmp_path):
    with pytest.raises(UserError, match="there is no option 'windows'; did you mean 'window'"):
        evograft.study(program, windows=3)
    with pytest.raises(UserError, match="give the start program, or resume=RUN"):
        evograft.study()
    with pytest.raises(UserError, match="resume= goes without seed"):
        evograft.study(resume="x", seed=3)
    with pytest.raises(UserError, match=r"plugins='halving': give a list, such as plugins=\['halving'\]"):
        evograft.study(program, plugins="halving")
    assert list(tmp_path.iterdir()) == []
