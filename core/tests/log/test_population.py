"""Committed trials: the newest are at hand, and the others are read from the log."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from evograft.log.codec import header_row
from evograft.log.journal import Journal
from evograft.log.population import KEPT, Population
from evograft.log.records import NO_PRINTS, Header
from evograft.store.sqlite import SqliteStore
from evograft_hookspecs import Candidate, Evaluation, NoOptions, Trial


class CountingJournal(Journal):
    """Notes which trials are read."""

    def __init__(self, store):
        super().__init__(store)
        self.read = []

    def trial(self, number):
        self.read.append(number)
        return super().trial(number)


def test_a_trial_is_read_from_the_log_only_if_many_were_committed_after_it_and_is_the_same_then():
    store = SqliteStore(NoOptions())
    with TemporaryDirectory() as folder, closing(store):
        store.create(Path(folder), [header_row(Header("id", "name", 3, 1))])
        store.open(Path(folder), durable=False)
        journal = CountingJournal(store)
        population, committed = Population(journal), []
        for number in range(KEPT + 3):
            candidate = Candidate.of(f"x = {number}\n", kind="k", operator="a.b", trial=number)
            evaluation = Evaluation(status="ok", score=number / 7, metrics={"m": 1.0})
            trial = Trial(number=number, view=0, candidate=candidate, evaluation=evaluation)
            committed.append(journal.write_trial(trial, NO_PRINTS, elapsed=1.0).trial)
            population.commit(committed[-1])
        assert [population.trial(number) for number in range(KEPT + 3)] == committed
        assert journal.read == [0, 1, 2]
