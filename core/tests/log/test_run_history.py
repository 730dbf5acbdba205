"""What a log adds up to: the one fold that status, report and exporters look at."""

from contextlib import closing

import pytest

from evograft.config.generations import Generations
from evograft.config.loading import pipeline_from
from evograft.log.codec import header_row
from evograft.log.history import RunHistory
from evograft.log.journal import Journal
from evograft.log.records import NO_PRINTS, CompletedCall, FinalEvaluation, Header, ReplayedTrial
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.runs.status import read_status
from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import (
    Candidate,
    Control,
    Evaluation,
    LlmRequest,
    Message,
    NoOptions,
    Problem,
    Proposal,
    Trial,
    Usage,
)

SEEDS = 2


class Writing:
    """A log that a test writes row by row, and its history."""

    def __init__(self, store, folder, *, follows=None, **settings):
        store.create(folder, [header_row(Header("id", "name", 3, 2, follows=follows))])
        store.open(folder, durable=False)
        self.journal = Journal(store)
        plugins = {"plugins": ["lab"], "generation_size": 2, "budget": {"trials": 6}, **settings}
        self.settings = pipeline_from(plugins, source="test")
        self.history = RunHistory(self.journal, self.settings)

    def problem(self):
        seeds = tuple({"main": f"{number}"} for number in range(SEEDS))
        self.journal.write_problem(Problem(name="p", statement="s", kind="k", language="l", objective="o", seeds=seeds))

    def trial(self, number, score=1.0, *, operator="lab.walk", cost=0.0):
        is_seed = number < SEEDS
        proposal = None if is_seed else Proposal(id=operator, operator=operator)
        candidate = Candidate.of(f"{number}", kind="k", operator="kernel.seed" if is_seed else operator, trial=number)
        evaluation = Evaluation(status="ok", score=score, cost=cost)
        trial = Trial(number=number, view=0, proposal=proposal, candidate=candidate, evaluation=evaluation)
        self.journal.write_trial(trial, NO_PRINTS, elapsed=float(number))

    def call(self, trial, *, hook="mutate", model="m", dollars=1.0):
        usage = Usage(prompt_tokens=3, completion_tokens=2, dollars=dollars)
        call = CompletedCall(f"{trial}/{hook}/lab", trial, hook, "lab", model, usage, 0.5, 1, 7.0, refused="busy")
        request = LlmRequest(messages=(Message(role="user", content="?"),), max_tokens=5)
        self.journal.write_answer(call, request, None)

    def read(self):
        return [(each.trial.number, each.generation, each.is_best) for each in self.history.read_on()]


@pytest.fixture
def store():
    with closing(SqliteStore(NoOptions())) as store:
        yield store


@pytest.fixture
def log(store, tmp_path):
    log = Writing(store, tmp_path)
    log.problem()
    return log


def test_trials_count_in_the_order_of_their_commits_and_each_look_reads_what_is_new(log):
    for number, score in ((1, 3.0), (3, 9.0)):
        log.trial(number, score)
    assert log.read() == []
    assert (log.history.trials, log.history.commits) == (2, 0)
    log.trial(0, 3.0)
    assert log.read() == [(0, 0, True), (1, 0, False)]
    assert log.read() == []
    assert [(each.trial.number, each.position, each.is_best) for each in log.history.waiting()] == [(3, 2, True)]
    assert log.history.best.number == 3, "it is finished, whatever its turn"
    with pytest.raises(KeyError):
        log.history.generation_of(3)
    log.trial(2)
    assert log.read() == [(2, 1, False), (3, 1, True)]
    assert log.history.generation_of(3) == 1
    assert [each.trial.number for each in log.history.in_commit_order()] == [0, 1, 2, 3]


def test_of_equal_scores_the_one_committed_first_is_the_best(log):
    for number in (1, 0):
        log.trial(number, 5.0)
    assert RunHistory.follow(log.journal, log.settings).best.number == 0


def test_who_reads_no_further_commits_what_waits(log):
    for number in (0, 1, 4):
        log.trial(number)
    log.read()
    assert [(each.trial.number, each.position) for each in log.history.close()] == [(4, 2)]
    assert list(log.history.waiting()) == []


def test_a_run_that_repeats_another_one_commits_in_its_order_and_has_as_many_trials(store, tmp_path):
    log = Writing(store, tmp_path, follows=tuple(ReplayedTrial(number, "", 0) for number in (1, 0, 3)))
    log.problem()
    for number in (0, 1, 3):
        log.trial(number)
    assert [number for number, _, _ in log.read()] == [1, 0, 3]
    assert log.history.limit == 3
    assert log.history.is_complete


def test_in_the_order_of_their_arrival_trials_are_committed_as_they_finish(store, tmp_path):
    log = Writing(store, tmp_path, order="arrival")
    log.problem()
    for number in (1, 0):
        log.trial(number)
    assert [number for number, _, _ in log.read()] == [1, 0]


def test_calls_belong_to_their_trial_when_it_is_committed_and_to_their_caller_outside_of_trials(log):
    log.call(2, model="a")
    log.call(3, model="b", dollars=None)
    log.call(2, hook="observe", model="a")
    log.call(None, hook="ask", model="a")
    for number in range(3):
        log.trial(number, cost=0.5)
    *_, commit = log.history.read_on()
    assert [each.call.model for each in commit.calls] == ["a"]
    request, answer, refused = log.journal.exchange(commit.calls[0].place)
    assert (request.messages[0].content, answer, refused) == ("?", None, "busy")
    spending = log.history.spending
    assert {name: each.calls for name, each in spending.by_model.items()} == {"a": 3, "b": 1}
    assert {name: each.calls for name, each in spending.by_operator.items()} == {"lab.walk": 1}
    assert {name: each.calls for name, each in spending.by_caller.items()} == {"observe · lab": 1, "ask · lab": 1}
    assert (spending.total.calls, spending.committed.calls, spending.unfinished.calls) == (4, 3, 1)
    assert spending.evaluations == 1.5


def test_each_record_is_in_the_history_when_it_is_handed_out(log):
    log.trial(0)
    log.call(2)
    seen = [
        (type(each.record).__name__, log.history.commits, log.history.spending.total.calls)
        for each in log.history.read_records()
    ]
    assert seen == [("Header", 0, 0), ("Problem", 0, 0), ("Finished", 1, 0), ("CompletedCall", 1, 1)]


@pytest.mark.parametrize(("cause", "complete"), [("user", False), ("budget", True)])
def test_a_run_is_complete_with_all_its_trials_unless_a_person_stopped_it(log, cause, complete):
    for number in range(6):
        log.trial(number)
    log.journal.write_control(Control(kind="stop", first_trial=6, text="enough", stop=cause))
    log.read()
    assert log.history.is_complete is complete
    assert log.history.stop.stop == cause


@pytest.mark.parametrize("kind", ["settings", "trial"])
def test_a_run_that_was_resumed_is_not_stopped(log, kind):
    log.trial(0)
    log.journal.write_control(Control(kind="stop", first_trial=1, text="enough", stop="user"))
    log.journal.write_control(Control(kind="tell", first_trial=1, text="try harder"))
    log.read()
    assert log.history.stop is not None
    if kind == "trial":
        log.trial(1)
    else:
        log.journal.write_control(Control(kind="settings", first_trial=1, text="window=2"))
    log.read()
    assert log.history.stop is None


def test_the_final_evaluation_is_that_of_the_best_candidate_until_there_is_a_better_one(log):
    log.trial(0, 1.0)
    log.journal.write_final_evaluation(FinalEvaluation(0, 1, Evaluation(status="ok", score=1.0)))
    log.read()
    assert log.history.is_best_evaluated
    log.trial(1, 2.0)
    log.read()
    assert not log.history.is_best_evaluated
    assert log.history.final_evaluation.trial == 0


def test_generations_are_counted_from_the_seeds_on():
    generations = Generations(seeds=2, size=3)
    assert [generations.of(place) for place in range(9)] == [0, 0, 1, 1, 1, 2, 2, 2, 3]
    assert [generations.complete(trials) for trials in range(9)] == [0, 0, 0, 0, 0, 1, 1, 1, 2]
    assert [trials for trials in range(9) if generations.is_end(trials)] == [2, 5, 8]


def test_the_history_of_a_run_is_what_its_status_says(runs):
    path = runs.run("short", trials=40, with_={"seeds": 2})
    with open_journal(path) as journal:
        history = RunHistory.follow(journal, open_run(path).pipeline)
    status = read_status(path)
    assert (history.trials, history.generation, history.limit) == (40, status.generation, 40)
    assert (history.best.number, history.best.score) == (status.best_trial, status.best_score)
    assert (history.is_complete, history.is_best_evaluated) == (status.state == "complete", status.judged)
