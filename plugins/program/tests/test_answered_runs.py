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
    "transactions": (1.09544, "sequential"),
    "packing": (1.00180, "sequential"),
    "second_autocorrelation": (1.04672, "islands"),
    "overlap": (1.00013, "islands"),
}
"""By task the best score of seed 1, and the member that found it."""


@pytest.mark.parametrize("task", BEST)
def test_a_run_that_a_model_answered_has_its_answers_its_best_program_and_who_found_it(unpacked, task):
    run = open_run(unpacked(OPEN / "answered" / f"{task}-composed-1.tar.gz"))
    with open_journal(run.path) as journal:
        history = RunHistory.follow(journal, run.pipeline)
        answers = [record for record in journal.records() if isinstance(record, CompletedCall)]
    assert len(answers) == 30
    best = history.best
    assert (round(best.score, 5), best.selection.member) == BEST[task]


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
