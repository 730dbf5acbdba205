"""Rows of contract 1 are read in today's words."""

import json

import pytest

from evograft.log.contract_1 import upgrade_control, upgrade_trial
from evograft_hookspecs import Control


@pytest.mark.parametrize(
    ("text", "cause"),
    {
        "stopped by SIGINT": "user",
        "stopped by evo stop": "user",
        "target score 3 reached": "target",
        "no better score in 50 trials": "plateau",
        "no island improved in 50 trials": "plateau",
        "0.5 dollars spent": "budget",
        "budget.calls 40: all of them are made": "budget",
        "30 seconds passed": "budget",
        "failed: plugin 'lab' (lab 1.0): hook select raised": "failure",
    }.items(),
)
def test_a_stop_has_its_cause(text, cause):
    row = {"kind": "stop", "first_trial": 3, "commits": 3, "text": text, "message": ""}
    assert Control.model_validate_json(upgrade_control(json.dumps(row))).stop == cause


@pytest.mark.parametrize(
    ("text", "facts"),
    {
        "stopped by SIGINT": {"by": "SIGINT"},
        "stopped by evo stop": {"by": "evo stop"},
        "stopped by the person at the terminal": {"by": "terminal"},
        "target score -0.5 reached": {"limit": "target_score", "value": -0.5},
        "30 seconds passed": {"limit": "seconds", "value": 30.0},
        "budget.calls 40: all of them are made": {},
    }.items(),
)
def test_a_stop_has_the_facts_of_its_reason(text, facts):
    row = {"kind": "stop", "first_trial": 3, "commits": 3, "text": text}
    assert Control.model_validate_json(upgrade_control(json.dumps(row))).facts == facts


def test_changed_settings_have_their_names():
    row = {"kind": "settings", "first_trial": 3, "commits": 3, "text": "plugins.lab.with.seeds=2\nbudget.trials=9"}
    assert Control.model_validate_json(upgrade_control(json.dumps(row))).changed == ("budget", "plugins")


def test_a_choice_among_strategies_has_its_parts():
    row = {"kind": "tell", "first_trial": 0, "commits": 0, "text": "Follow these strategies: Beam: wide; greedy"}
    assert Control.model_validate_json(upgrade_control(json.dumps(row))).strategies == ("Beam: wide", "greedy")


def test_what_is_written_today_is_read_as_it_is():
    body = Control(kind="stop", first_trial=1, text="stopped by hand", stop="budget").model_dump_json()
    assert upgrade_control(body) is body


def test_the_bar_of_a_selection_is_its_incumbent_and_other_bars_stay():
    trial = {"selection": {"bar": 4}, "evaluation": {"metrics": {"bar": 1.0}}}
    upgraded = json.loads(upgrade_trial(json.dumps(trial).replace(": ", ":")))
    assert upgraded == {"selection": {"incumbent": 4}, "evaluation": {"metrics": {"bar": 1.0}}}
