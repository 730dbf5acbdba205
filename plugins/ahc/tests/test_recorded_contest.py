"""A contest that an AI model worked on, repeated from its log: analysis, strategies and programs, without a model."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from evograft.runs.reader import open_journal
from evograft_ahc.contests.past import load_packaged_contests
from evograft_ahc.library.blocks import load_library
from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis
from evograft_hookspecs import Problem

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture
def recorded(unpacked):
    return unpacked(RECORDED / "run.tar.gz")


@pytest.fixture
def problem_analysis(recorded):
    with open_journal(recorded) as journal:
        problem = next(record for record in journal.records() if isinstance(record, Problem))
    return ProblemAnalysis.within(problem.analysis)


def exchanges(path):
    with open_journal(path) as journal:
        return {key: journal.exchange(seq)[:2] for seq, key in journal.places("answer")}


def version_of_gcc():
    try:
        done = subprocess.run(["g++", "-dumpversion"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.partition(".")[0].strip()


@pytest.mark.slow
def test_the_recorded_contest_repeats_and_gets_the_same_trials(runs, recorded):
    if version_of_gcc() != "12":
        pytest.skip("a prompt quotes GCC 12")
    done = runs.evo_apart("run", "--llm", f"replay:{recorded}", "--run-dir", "again")
    assert done.returncode == 0, done.stderr
    assert runs.trials(runs.folder / "again") == runs.trials(recorded)
    assert exchanges(runs.folder / "again") == exchanges(recorded)


def test_what_the_model_found_is_in_the_problem_with_sources_that_exist(problem_analysis):
    assert problem_analysis.statement.problem_statement_summary.startswith("Huts in a mountain range")
    assert problem_analysis.statement.constraints["N"].max == 150
    assert [strategy.title for strategy in problem_analysis.strategies][1] == "Ruin and recreate"
    known = {*load_library(), *(contest.contest_id for contest in load_packaged_contests())}
    for strategy in problem_analysis.strategies:
        assert strategy.sources
        assert set(strategy.sources) <= known


def test_every_prompt_for_a_program_had_the_strategies_and_some_an_instruction_of_the_craft(
    runs, recorded, problem_analysis
):
    trials = [trial for trial in runs.trials(recorded) if trial["proposal"]]
    for trial in trials:
        assert {strategy.id for strategy in problem_analysis.strategies} <= set(trial["candidate"]["used_advice"])
    proposals = Counter(trial["proposal"]["id"].partition("@")[0].rpartition("_")[0] for trial in trials)
    assert {"ahc.use", "ahc.mutation", "ahc.start_over"} <= set(proposals)


def test_what_does_not_compile_and_what_is_wrong_was_mended(runs, recorded):
    trials = runs.trials(recorded)
    faults = {trial["number"]: attempt["reason"] for trial in trials for attempt in trial["attempts"]}
    assert faults[4].startswith("it does not compile: main.cpp:10:1: error: expected")
    assert "hut number 1 was visited before" in faults[15]
    assert all(trial["evaluation"]["status"] in ("ok", "pruned") for trial in trials)


def test_the_best_program_beats_the_start_program(runs, recorded):
    scores = {t["number"]: t["evaluation"]["score"] for t in runs.trials(recorded) if t["evaluation"]["status"] == "ok"}
    assert (round(scores[0]), round(max(scores.values()))) == (23_395_669, 26_852_200)


def test_the_answers_in_the_log_are_those_that_can_be_read_beside_it(recorded):
    written = Counter(path.read_text(encoding="utf-8") for path in (RECORDED / "answers").iterdir())
    assert Counter(answer.text for _, answer in exchanges(recorded).values()) == written
