"""What the record of a candidate says, with the specified fields."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.api import Generations
from evograft.log.records import NO_PRINTS, Finished
from evograft_ahc.records.candidate import build_candidate_record, get_source_path
from evograft_ahc.records.candidate_files import CandidateFiles
from evograft_ahc.records.ids import CandidateNaming
from evograft_ahc.records.outputs import NoOutputs
from evograft_ahc.scoring.stages import COMPILING, COMPILING_TIMEOUT, JUDGING
from evograft_hookspecs import Attempt, Candidate, Evaluation, Proposal, Selection, Trial

NAMING = CandidateNaming(Generations(seeds=1, size=10))
SPECIFIED = {
    *("id", "generation", "parent_ids", "creation_method", "llm_prompt_summary", "source_code_path"),
    *("parameters_used", "compilation_status", "compilation_log_path", "evaluation_scores", "average_score"),
    *("total_score", "execution_time_avg_ms", "evaluation_status", "case_failures"),
}


def finished(*, number=28, seconds=0.3, evaluation=None, model="gpt-4o", drawn="gpt-4o", **fields):
    evaluation = evaluation or Evaluation(
        status="ok", score=1.0, cases={"0000": 12345.0, "0001": 13000.0}, stage=JUDGING
    )
    proposal = Proposal(id="loop_unrolling", operator="operators.crossover", instruction="Join\nboth", model=drawn)
    candidate = Candidate.of(
        "int main() {}", kind="cpp", operator="operators.crossover", trial=number, parents=(13, 16)
    )
    given = {"candidate": candidate, "proposal": proposal, "selection": Selection(parents=(13, 16), temperature=0.3)}
    trial = Trial(number=number, view=0, evaluation=evaluation, model=model, **{**given, **fields})
    return Finished(trial, NO_PRINTS, seconds=seconds, cost=0.0, elapsed=1.0, at=1_700_000_000.0)


def test_the_fields_are_those_specified():
    record = build_candidate_record(finished(), NAMING, temperature=0.3)
    assert set(record.model_dump()) >= SPECIFIED
    assert record.id == "gen03_ind07_20231114T221320Z"
    assert record.generation == 3
    assert record.parent_ids == ("gen02_ind02", "gen02_ind05")
    assert record.creation_method == "crossover_llm"
    assert record.llm_prompt_summary == "Join both"
    assert record.source_code_path == "solutions/gen03_id07_score12672.cpp"
    assert record.parameters_used == {
        "temperature": 0.3,
        "model": "gpt-4o",
        "specific_mutation_type": "loop_unrolling",
    }
    assert record.compilation_log_path == "logs/compile_gen03_id07.log"
    assert record.evaluation_scores == {"seed0000.txt": 12345.0, "seed0001.txt": 13000.0}
    assert (record.average_score, record.total_score) == (12672.5, 25345.0)
    assert record.execution_time_avg_ms == 150.0
    assert (record.compilation_status, record.evaluation_status) == ("success", "completed")


def test_what_is_in_the_details_goes_before_names_of_metrics_and_stages():
    details = {"compilation": "success", "failed_cases": {"0001": "time_limit"}}
    evaluation = Evaluation(status="ok", score=1.0, cases={"0000": 10.0}, details=details)
    record = build_candidate_record(finished(evaluation=evaluation), NAMING)
    assert (record.compilation_status, record.case_failures) == ("success", {"seed0001.txt": "time_limit"})


def test_a_failed_case_has_its_reason_and_no_score():
    metrics = {"time_limit 0001": 1.0, "cases": 2.0}
    evaluation = Evaluation(status="ok", score=1.0, cases={"0000": 10.0}, metrics=metrics, stage=JUDGING)
    record = build_candidate_record(finished(evaluation=evaluation), NAMING)
    assert record.evaluation_scores == {"seed0000.txt": 10.0}
    assert record.case_failures == {"seed0001.txt": "time_limit"}
    assert record.average_score == 10.0


@pytest.mark.parametrize(
    ("evaluation", "compilation", "judgement"),
    [
        (Evaluation(status="pruned", score=1.0, reason="below the bar", stage=JUDGING), "success", "pruned"),
        (Evaluation(status="rejected", reason="every case failed", stage=JUDGING), "success", "failed"),
        (Evaluation(status="rejected", reason="error: expected ';'", stage=COMPILING), "failed", "not_run"),
        (Evaluation(status="rejected", reason="took too long", stage=COMPILING_TIMEOUT), "timeout", "not_run"),
        (Evaluation(status="rejected", reason="time-out"), "not_run", "failed"),
        (Evaluation(status="failed", reason="worker lost"), "not_run", "failed"),
    ],
)
def test_the_states_tell_how_far_it_came(evaluation, compilation, judgement):
    record = build_candidate_record(finished(evaluation=evaluation), NAMING)
    assert (record.compilation_status, record.evaluation_status) == (compilation, judgement)
    assert record.error_message == evaluation.reason


@pytest.mark.parametrize("drawn", ["", "gpt-4o"])
def test_what_no_model_wrote_has_no_prompt_whichever_was_drawn(drawn):
    record = build_candidate_record(finished(model="", drawn=drawn), NAMING)
    assert (record.creation_method, record.llm_prompt_summary) == ("crossover", None)
    assert record.parameters_used == {"specific_mutation_type": "loop_unrolling"}


def test_a_start_program_and_a_trial_without_a_program_have_records_too():
    start = build_candidate_record(finished(number=0, proposal=None, selection=None), NAMING)
    assert (start.id[:11], start.creation_method) == ("gen00_ind00", "initial")
    nothing = finished(candidate=None, evaluation=Evaluation.rejected("no code in the answer"))
    record = build_candidate_record(nothing, NAMING)
    assert (record.source_code_path, record.compilation_status, record.evaluation_status) == (
        None,
        "not_run",
        "not_run",
    )


def test_a_program_without_a_score_has_a_name_all_the_same():
    trial = finished(evaluation=Evaluation.rejected("no")).trial
    assert get_source_path(trial, NAMING) == "solutions/gen03_id07_scorenone.cpp"


@given(st.integers(0, 20), st.integers(1, 200), st.integers(0, 10_000), st.integers(0, 10_000))
def test_no_two_trials_have_the_same_name(seeds, size, one, other):
    naming = CandidateNaming(Generations(seeds, size))
    assert (naming.place(one) == naming.place(other)) == (one == other)
    assert (naming.place(one).file == naming.place(other).file) == (one == other)


def test_names_grow_beyond_two_digits():
    assert CandidateNaming(Generations(1, 200)).place(1 + 200 * 122 + 101).file == "gen123_id101"


def test_the_compile_log_tells_of_drafts_and_of_the_program(tmp_path):
    refused = Evaluation.rejected("it does not compile: error", feedback="main.cpp:1: error: 'x'\nmore")
    refused = refused.model_copy(update={"stage": COMPILING})
    attempts = (Attempt(reason="it does not compile", feedback="main.cpp:9: error: 'y'"),)
    CandidateFiles(tmp_path, NoOutputs()).write(
        finished(evaluation=refused, attempts=attempts), NAMING, temperature=None
    )
    text = (tmp_path / "logs" / "compile_gen03_id07.log").read_text()
    assert text == "draft 1: main.cpp:9: error: 'y'\nfailed\nmain.cpp:1: error: 'x'\nmore\n"


class Kept:
    """Where the outputs of some cases are kept."""

    def __init__(self, **outputs):
        self._outputs = outputs

    def output_of(self, source, case):
        return self._outputs.get(f"case{case}")


def test_outputs_are_there_of_failed_cases_too_and_missing_ones_are_named(tmp_path):
    metrics = {"wrong_answer 0001": 1.0, "output_limit 0002": 1.0, "cases": 3.0}
    evaluation = Evaluation(status="ok", score=1.0, cases={"0000": 10.0}, metrics=metrics, stage=JUDGING)
    kept = Kept(case0000=b"fine\n", case0001=b"wrong\n")
    CandidateFiles(tmp_path, kept).write(finished(evaluation=evaluation), NAMING, temperature=None)
    written = {path.name: path.read_bytes() for path in (tmp_path / "outputs" / "gen03_id07").iterdir()}
    assert written == {"0000.out": b"fine\n", "0001.out": b"wrong\n"}
    record = json.loads((tmp_path / "candidates" / "gen03_id07.json").read_text())
    assert record["missing_outputs"] == ["seed0002.txt"]
