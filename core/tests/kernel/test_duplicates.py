"""Which trial a candidate repeats: the first in view of its fingerprint, whoever's fingerprints were taken before."""

from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from hypothesis import given
from hypothesis import strategies as st

from evograft.concurrency.deadline_pool import DeadlineThreads, current_job
from evograft.config.pipeline import Novelty
from evograft.kernel.duplicates import Duplicates
from evograft.log.codec import header_row
from evograft.log.journal import NO_KEYS, Journal
from evograft.log.population import Population
from evograft.log.records import NO_PRINTS, Finished, Header, Prints
from evograft.store.sqlite import SqliteStore
from evograft.text.masking import Keys
from evograft_hookspecs import Candidate, Evaluation, NoOptions, Trial
from evograft_novelty import fingerprint
from evograft_novelty.token_comparer import TokenComparer

SOURCES = [
    "def f(a): return a + 1\n",
    "def f(b): return (b + 1)  # the same\n",
    "def g(a): return a + 1\n",
    "def h(a): return 1 + a\n",
    "def f(a): return a + 2\n",
    "def f(x): return x + 2\n",
    "def f(a: return\n",
    "def f(a:   return\n",
    "def f(b: return\n",
    "def f(a): return a + 1\n" + "\n" * 300_000,
]
"""Three sketches, more fingerprints, texts that are no programs, and one that has no sketch."""


def candidate_of(which, number):
    return Candidate.of(SOURCES[which], kind="k", operator="a.b", trial=number)


def new_trial(candidate):
    return Trial(number=candidate.trial, view=0, candidate=candidate, evaluation=Evaluation(status="ok", score=1.0))


class Session:
    """What a kernel does about duplicates, from a log on."""

    def __init__(self, journal, novelty=None, keys=NO_KEYS):
        self.journal = journal
        self.population = Population(journal)
        self.duplicates = Duplicates(novelty or Novelty(), self.population, TokenComparer(NoOptions()), None, keys)

    def commit(self, finished):
        self.population.commit(finished.trial)
        self.duplicates.commit(finished.trial, finished.prints)

    def compare(self, candidate, view):
        prints = self.duplicates.prints(candidate, "python")
        earlier = self.duplicates.find(candidate, prints, "python", parents=(), view=view)
        return prints, None if earlier is None else earlier.number


@contextmanager
def log_of(kind):
    store = SqliteStore(NoOptions())
    with TemporaryDirectory() as folder:
        store.create(Path(folder), [header_row(Header("id", "name", 3, 1))])
        store.open(Path(folder), durable=False)
        with closing(store):
            yield kind(store)


class EarlierJournal(Journal):
    """Writes what earlier versions wrote: a fingerprint for each trial, and no sketch."""

    def write_trial(self, trial, prints, *, elapsed):
        whole = fingerprint(trial.candidate.files, trial.candidate.kind, "python")
        return super().write_trial(trial, Prints(fingerprint=whole), elapsed=elapsed)


@given(
    st.lists(st.integers(0, len(SOURCES) - 1), max_size=14),
    st.integers(1, 4),
    st.integers(0, 14),
    st.sampled_from([Journal, EarlierJournal]),
)
def test_the_first_trial_in_view_of_the_same_fingerprint_is_found_in_every_session_and_after_every_version(
    drawn, window, resumed_at, before
):
    fingerprints = [fingerprint({"main": SOURCES[which]}, "k", "python") for which in drawn]
    with log_of(before) as journal:
        session, finished = Session(journal), []
        for number, which in enumerate(drawn):
            view = max(0, number - window + 1)
            for each in finished[session.population.commits : view]:
                session.commit(each)
            if number == resumed_at:
                session = Session(Journal(journal._store))
                finished = [each for each in session.journal.records() if isinstance(each, Finished)]
                for each in finished[:view]:
                    session.commit(each)
            prints, found = session.compare(candidate_of(which, number), view)
            assert found == next((i for i in range(view) if fingerprints[i] == fingerprints[number]), None)
            finished.append(session.journal.write_trial(new_trial(candidate_of(which, number)), prints, elapsed=1.0))


def test_a_fingerprint_is_taken_only_where_sketches_meet():
    with log_of(Journal) as journal:
        session, taken = Session(journal), []
        for number, which in enumerate([0, 4, 2, 5]):
            prints, _ = session.compare(candidate_of(which, number), number)
            session.commit(journal.write_trial(new_trial(candidate_of(which, number)), prints, elapsed=1.0))
            taken.append(bool(prints.fingerprint))
        assert taken == [False, False, True, True]
        assert [each.prints.sketch != "" for each in journal.records() if isinstance(each, Finished)] == [True] * 4


def test_trials_are_committed_and_no_deadline_passes_while_all_programs_are_read_for_one_without_a_sketch():
    with log_of(Journal) as journal:
        session = Session(journal)
        prints, _ = session.compare(candidate_of(0, 0), 0)
        session.commit(journal.write_trial(new_trial(candidate_of(0, 0)), prints, elapsed=1.0))
        read, reading, committed, deadlines = session.population.trial, Event(), Event(), []

        def read_slowly(number):
            deadlines.append(current_job().deadline)
            reading.set()
            assert committed.wait(20), "nothing can be committed"
            return read(number)

        session.population.trial = read_slowly
        with closing(DeadlineThreads(1, name="mutate")) as threads:
            found = threads.submit(partial(session.compare, candidate_of(9, 1), 1), seconds=600)
            assert reading.wait(20)
            other = candidate_of(2, 2)
            session.commit(journal.write_trial(new_trial(other), Prints(sketch="other"), elapsed=1.0))
            committed.set()
            assert found.result(20)[1] is None
        assert deadlines[0] == float("inf")


def test_a_program_with_a_key_in_it_is_recognised_though_the_log_keeps_it_without_the_key():
    key = "sk-1234567890abcdef"
    keys = Keys(environment={"SOME_API_KEY": key})
    programs = [f"def f({name}): return {name} + '{key}'\n" for name in "ab"]
    with log_of(lambda store: Journal(store, keys)) as journal:
        session = Session(journal, keys=keys)
        one, other = (Candidate.of(text, kind="k", operator="a.b", trial=i) for i, text in enumerate(programs))
        prints, _ = session.compare(one, 0)
        session.commit(journal.write_trial(new_trial(one), prints, elapsed=1.0))
        assert key not in session.population.trial(0).candidate.files["main"]
        assert session.compare(other, 1)[1] == 0


def test_with_exact_duplicates_only_nothing_is_taken():
    with log_of(Journal) as journal:
        session = Session(journal, Novelty(duplicates="exact"))
        for number, (which, first) in enumerate([(0, None), (1, None), (0, 0), (1, 1)]):
            prints, found = session.compare(candidate_of(which, number), number)
            assert (prints, found) == (NO_PRINTS, first)
            session.commit(journal.write_trial(new_trial(candidate_of(which, number)), prints, elapsed=1.0))
