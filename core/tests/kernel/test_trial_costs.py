"""What trials have cost is told to plugins as it is in the log: a search that weighs it is resumed and repeated."""

import hashlib
import json
from dataclasses import replace

import pytest
from asking import climb

from evograft.kernel.trial_costs import TrialCosts
from evograft.log.history import RunHistory
from evograft.log.records import NO_PRINTS, Finished, ReplayedTrial
from evograft.log.spending import Spending
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_hookspecs import Evaluation, Trial

MEMBERS = ["sequential", "best_of_n", "islands"]
COMPOSED = {
    "name": "islands",
    "with": {"search": "composed", "composed": {"by": "bandit", "stalled_after": 0, "members": MEMBERS}},
}
SETTINGS = {
    "more": [COMPOSED],
    "owners": {"select": "islands"},
    "llm": {"models": [{"name": "m", "price": {"prompt": 100.0, "completion": 1000.0}}]},
}


def unlike(seen):
    """Answers that cost next to nothing, or a hundred times as much."""
    dear = hashlib.sha256(seen.prompt.encode()).digest()[1] > 127
    return replace(climb(seen), usage=(1, 20 if dear else 0))


def test_a_search_that_weighs_dollars_is_resumed_and_repeated_exactly(asking, server):
    server.usual = unlike
    whole = asking.run("whole", **SETTINGS, trials=60)
    cut = asking.run("cut", **SETTINGS, trials=17)
    asking.resume(cut, "budget.trials=60")
    assert asking.trials(cut) == asking.trials(whole)
    server.close()
    for source, name in ((whole, "again"), (asking.folder / "again", "once more")):
        done = asking.evo("run", "--llm", f"replay:{source}", "--run-dir", asking.folder / name)
        assert done.returncode == 0, done.stderr
        assert asking.trials(asking.folder / name) == asking.trials(whole)


def test_status_says_what_each_member_has_found_and_at_what_cost(asking, server):
    server.usual = unlike
    path = asking.run("whole", **SETTINGS, trials=30)
    status = json.loads(asking.evo("status", path, "--json").stdout)
    members = status["members"]
    assert {each["member"] for each in members} == set(MEMBERS)
    assert sum(each["trials"] for each in members) == 30
    assert sum(each["dollars"] for each in members) == pytest.approx(status["dollars"])
    assert sum(each["tokens"] for each in members) == status["prompt_tokens"] + status["completion_tokens"] > 0
    assert max(each["best"] for each in members) == status["best_score"]
    lines = asking.evo("status", path).stdout.splitlines()
    listed = lines[lines.index("searches") + 1 :][:3]
    assert [line.split()[0] for line in listed] == [each["member"] for each in members]
    assert all("$" in line and "new best" in line and line.endswith(" tokens") for line in listed)


def finished(*, cost):
    trial = Trial(number=3, view=0, evaluation=Evaluation.rejected("no good"))
    return Finished(trial, NO_PRINTS, seconds=0.0, cost=cost, elapsed=0.0, at=0.0)


def test_a_trial_costs_what_its_calls_and_its_evaluation_do_unless_a_price_is_unknown():
    assert TrialCosts(()).of(finished(cost=0.25), Spending(calls=1, dollars=0.5)) == 0.75
    assert TrialCosts(()).of(finished(cost=0.25), Spending(calls=1, unpriced=1)) is None


def test_a_repeated_trial_costs_what_it_has_cost_however_little_the_repetition_pays():
    costs = TrialCosts([ReplayedTrial(3, "m", 0, 2.5)])
    assert costs.of(finished(cost=0.25), Spending()) == 2.5


def test_a_repetition_notes_what_each_trial_has_cost(asking, server):
    server.usual = unlike
    path = asking.run("whole", **SETTINGS, trials=20)
    with open_journal(path) as journal:
        paid = [commit.dollars for commit in RunHistory(journal, open_run(path).pipeline).read_on()]
    for source, name in ((path, "again"), (asking.folder / "again", "once more")):
        asking.evo("run", "--llm", f"replay:{source}", "--run-dir", asking.folder / name)
        with open_journal(asking.folder / name) as journal:
            history = RunHistory.follow(journal, open_run(asking.folder / name).pipeline)
        assert [each.dollars for each in history.header.follows] == paid
    assert len(set(paid)) > 1
