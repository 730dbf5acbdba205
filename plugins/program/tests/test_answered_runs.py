"""The composed runs of the benchmark that a strong model answered: they are opened, and say what the page says."""

import sys
from pathlib import Path

import pytest

from evograft.api import RunHistory
from evograft.log.records import CompletedCall
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal

OPEN = Path(__file__).parents[1] / "benchmarks" / "open"
BEST = {
    ("transactions", 1): (1.09544, "sequential"),
    ("transactions", 2): (1.07317, "sequential"),
    ("packing", 1): (1.00180, "sequential"),
    ("packing", 2): (1.00180, "best_of_n"),
    ("second_autocorrelation", 1): (1.04672, "islands"),
    ("second_autocorrelation", 2): (1.04523, "sequential"),
    ("overlap", 1): (1.00013, "islands"),
    ("overlap", 2): (1.00009, "islands"),
}
"""By task and seed the best score, and the member that found it."""


@pytest.mark.parametrize(("task", "seed"), BEST)
def test_a_run_that_a_model_answered_has_its_answers_its_best_program_and_who_found_it(unpacked, task, seed):
    run = open_run(unpacked(OPEN / "answered" / f"{task}-composed-{seed}.tar.gz"))
    with open_journal(run.path) as journal:
        history = RunHistory.follow(journal, run.pipeline)
        answers = [record for record in journal.records() if isinstance(record, CompletedCall)]
    assert len(answers) == 30
    best = history.best
    assert (round(best.score, 5), best.selection.member) == BEST[task, seed]


@pytest.mark.slow
def test_the_best_order_of_transactions_is_as_short_as_it_was(unpacked, tmp_path, monkeypatch):
    run = open_run(unpacked(OPEN / "answered" / "transactions-composed-1.tar.gz"))
    with open_journal(run.path) as journal:
        best = RunHistory.follow(journal, run.pipeline).best
    program = tmp_path / "program.py"
    program.write_text(best.candidate.source)
    monkeypatch.syspath_prepend(str(OPEN / "transactions"))
    from evaluate import evaluate

    try:
        assert evaluate(str(program))["combined_score"] == best.score
    finally:
        del sys.modules["evaluate"]
