"""Records: files of lines that survive kills, summaries that can be read whatever happened to them, folds of trials."""

import json
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.experiments.folder import find_checkpoint_run
from evograft_graph_invariant.records.checkpoint import (
    Checkpoint,
    Checkpoints,
    RngState,
    RunPlace,
    read_checkpoint,
)
from evograft_graph_invariant.records.events import write_event_lines
from evograft_graph_invariant.records.experiment_log import Exchange, TrialCalls
from evograft_graph_invariant.records.history import GenerationHistory
from evograft_graph_invariant.records.line_file import LineFile
from evograft_graph_invariant.records.summary.fallbacks import list_fallbacks
from evograft_graph_invariant.records.summary.model import (
    SCHEMA_VERSION,
    BestFormula,
    ExperimentSummary,
    GraphValues,
    SetScore,
)
from evograft_graph_invariant.records.summary.reader import parse_summary, read_summary
from evograft_hookspecs import (
    Attempt,
    Candidate,
    Evaluation,
    LlmAnswer,
    LlmRequest,
    Message,
    Selection,
    Trial,
    Usage,
)

FIELDS = [
    "generation",
    "island",
    "timestamp",
    "prompt",
    "llm_response",
    "extracted_code",
    "train_score",
    "val_score",
    "simplicity",
    "status",
    "error",
]
WORDS = st.text("aü\ud800\n\0", max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)


def code(number):
    return f"def new_invariant(G):\n    return n(G) + {number}\n"


def trial(number, *, score=0.5, island=0, text=None, evaluation=None, attempts=()):
    metrics = {"train_rho": score, "validation_rho": -score, "novelty": 0.25, "ast_nodes": 9.0}
    scored = Evaluation(status="ok", score=score, metrics=metrics, descriptors={"simplicity": 0.5, "novelty": 0.25})
    return Trial(
        number=number,
        view=0,
        selection=None if island is None else Selection(island=island, island_name=f"island {island}"),
        candidate=Candidate.of(text or code(number), kind="python", operator="test.test", trial=number),
        evaluation=evaluation or scored,
        attempts=attempts,
    )


# -- files of lines ---------------------------------------------------------------------------------------------------


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=6), max_size=6),
    there=st.binary(max_size=40),
    kept=st.integers(0, 60),
)
def test_a_file_of_lines_holds_what_was_put_whatever_was_there(tmp_path_factory, lines, there, kept):
    whole = "".join(f"{line}\n" for line in lines).encode()
    for before in (there, whole[:kept], whole[:kept] + there):
        path = tmp_path_factory.mktemp("lines") / "events.jsonl"
        path.write_bytes(before)
        file = LineFile(path)
        for line in lines:
            file.put(line)
        file.close()
        assert path.read_bytes() == whole


def test_lines_that_are_there_are_not_written_again(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("one\ntwo\n")
    path.chmod(0o600)
    file = LineFile(path)
    file.put("one")
    assert path.read_text() == "one\ntwo\n", "a kill at this moment loses nothing"
    file.put("other")
    assert path.read_text() == "one\nother\n"
    file.close()


# -- summaries --------------------------------------------------------------------------------------------------------


def test_a_summary_comes_back_from_its_file_as_it_was(tmp_path):
    graphs = {"test": GraphValues(families=("ER", "BA"), nodes=(30, 31), true=(1.5, 2.5), predicted=(1.4, None))}
    best = BestFormula(code=code(1), test=SetScore(rho=-0.99, graphs=200), graphs=graphs)
    summary = ExperimentSummary(
        schema_version=SCHEMA_VERSION, experiment_id="one", config={"a": [1, {"b": None}]}, best=best
    )
    path = tmp_path / "phase1_summary.json"
    path.write_text(summary.model_dump_json())
    assert read_summary(path) == summary


def test_a_file_without_a_version_is_read_and_said_to_be_old():
    found = parse_summary({"experiment_id": "old", "best": {"formula": "n", "unheard_of": 1}, "future": {}})
    assert (found.schema_version, found.experiment_id, found.fallbacks) == (None, "old", None)
    assert found.best is not None
    assert found.best.formula == "n"
    assert "older" in found.notes[0]


def test_a_file_of_another_version_says_so():
    assert "schema_version 2" in parse_summary({"schema_version": 2}).notes[0]


def test_what_is_broken_is_left_out_and_the_rest_is_read():
    found = parse_summary(
        {
            "schema_version": 3,
            "success": "perhaps",
            "islands": [{"number": -1}, {"number": 1, "best_by_generation": [0.5, "x"]}],
            "best": {
                "test": {"rho": float("nan"), "graphs": 200},
                "graphs": {"test": {"families": ["ER"], "true": [1.0, 2.0]}, "train": {"true": [1.0, float("inf")]}},
            },
        }
    )
    assert found.best is not None
    assert found.best.test == SetScore(graphs=200)
    assert found.success is None
    assert [island.number for island in found.islands] == [1]
    assert found.islands[0].best_by_generation == (), "the others would be those of other generations"
    assert found.best.graphs == {"train": GraphValues()}, "graphs that do not fit together are in no chart"
    assert all(name in found.notes[0] for name in ("success", "best.test.rho", "islands.0", "best.graphs.test"))


@given(data=st.dictionaries(st.sampled_from([*ExperimentSummary.model_fields, "other"]), JSON, max_size=3))
def test_whatever_is_in_a_file_there_is_a_summary_that_can_be_written(data):
    found = parse_summary(data)
    assert ExperimentSummary.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"{", "is no JSON"),
        (b"[]", "but a list"),
        (b"\xff", "is no JSON"),
        (b'{"config": ' + b"[" * 900 + b"]" * 900 + b"}", "nested"),
        (b'{"config": ' + b"[" * 100_000, "nested"),
    ],
)
def test_a_file_that_is_no_summary_is_the_users_mistake(tmp_path, content, complaint):
    path = tmp_path / "phase1_summary.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match=complaint):
        read_summary(path)


def test_a_file_that_is_not_there_is_the_users_mistake(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_summary(tmp_path / "phase1_summary.json")


# -- what is folded of trials -----------------------------------------------------------------------------------------


def chronicle_of(trials, *, seeds=1, size=4, elites=2):
    found = GenerationHistory(seeds=seeds, generation_size=size, elites=elites)
    for each in trials:
        found.add(each)
    return found


def test_seeds_are_generation_zero_and_islands_begin_with_them():
    found = chronicle_of([trial(0, island=None, score=0.4), trial(1, score=0.3), trial(2, score=0.6)])
    assert found.generation_of == {0: 0, 1: 1, 2: 1}
    (island,) = found.islands_in_order()
    assert [elite.trial for elite in island.elites] == [2, 0], "the two best, the seed among them"
    assert island.best_by_generation == [0.4]


@given(scores=st.lists(st.floats(-1, 1), min_size=1, max_size=40), size=st.integers(1, 5))
def test_the_best_of_an_island_never_gets_worse_and_has_an_entry_a_generation(scores, size):
    trials = [trial(number, score=score, island=number % 2) for number, score in enumerate(scores, start=1)]
    found = chronicle_of([trial(0, island=None), *trials], size=size)
    for island in found.islands_in_order():
        course = island.best_by_generation
        assert len(course) == found.generations + 1
        assert all(before <= after for before, after in pairwise(course))


def test_generations_without_an_improvement_are_counted_as_the_early_stop_counts_them():
    scores = [0.5, 0.4, 0.3, 0.5, 0.2, 0.1]
    found = chronicle_of(
        [trial(0, island=None, score=0.1), *(trial(i, score=s) for i, s in enumerate(scores, 1))], size=2
    )
    assert found.generations == 3
    assert found.idle_generations == 2, "the first candidate was the last that improved its island"


def test_the_same_program_is_in_a_knowledge_base_once():
    found = chronicle_of([trial(0, island=None), trial(1, text=code(7)), trial(2, text=code(7), score=0.7)])
    (island,) = found.islands_in_order()
    assert [elite.code for elite in island.elites].count(code(7)) == 1


def test_islands_that_ran_dry_are_told_with_the_generation_in_which_something_was_done():
    dry = [trial(i, island=i % 2, evaluation=Evaluation.rejected("no value")) for i in range(1, 25)]
    found = chronicle_of([trial(0, island=None), *dry])
    log = SimpleNamespace(dollars={})
    records = list_fallbacks(found, log, FallbackOptions(constrained_after=2))
    assert {(record.island, record.kind) for record in records} == {(0, "constrained_on"), (1, "constrained_on")}
    assert all(record.generation <= found.generations and record.reason for record in records)
    assert list_fallbacks(found, log, None) == (), "a run without fallbacks"


# -- events -----------------------------------------------------------------------------------------------------------


def exchange(prompt, answer, *, refused=""):
    request = LlmRequest(messages=(Message(role="user", content=prompt),), max_tokens=10)
    given = LlmAnswer(text=answer, usage=Usage(prompt_tokens=1, completion_tokens=1), model="m") if answer else None
    return Exchange("m", request, given, refused, at=1736937000.0)


def lines(trial, *exchanges):
    calls = TrialCalls(1736937000.0, exchanges)
    return [json.loads(line) for line in write_event_lines(trial, calls, generation=5)]


def test_without_a_model_a_trial_is_a_line_with_the_specified_fields():
    (line,) = lines(trial(3, score=0.72, island=2))
    assert list(line) == [*FIELDS, "operator", "model"]
    assert line == {
        "generation": 5,
        "island": 2,
        "timestamp": "2025-01-15T10:30:00+00:00",
        "prompt": None,
        "llm_response": None,
        "extracted_code": code(3),
        "train_score": 0.72,
        "val_score": -0.72,
        "simplicity": {"ast_nodes": 9, "sympy_length": None},
        "status": "success",
        "error": None,
        "operator": "test.test",
        "model": None,
    }


def test_each_call_of_a_model_is_a_line_and_a_mended_candidate_has_two():
    failed = Attempt(candidate=Candidate.of("x", kind="python", operator="test.test", trial=3), reason="no such name")
    first, second = lines(trial(3, attempts=(failed,)), exchange("do", "bad"), exchange("mend", "good"))
    assert list(first) == list(second) == [*FIELDS, "operator", "model"]
    assert (first["model"], second["model"]) == ("m", "m")
    assert (first["prompt"], first["llm_response"], first["extracted_code"]) == ("do", "bad", "x")
    assert (first["status"], first["error"], first["train_score"]) == ("rejected", "no such name", None)
    assert (second["prompt"], second["llm_response"], second["extracted_code"]) == ("mend", "good", code(3))
    assert second["status"] == "success"


def test_a_candidate_of_several_files_is_told_as_a_whole():
    files = {"main": "a", "other": "b"}
    several = trial(3).model_copy(
        update={
            "candidate": Candidate(kind="python", files=files, operator="test.test", trial=3),
            "evaluation": Evaluation.rejected("a candidate is one file"),
        }
    )
    assert lines(several)[0]["extracted_code"] == "a\nb"


def test_a_refused_call_says_why():
    rejected = trial(3, evaluation=Evaluation.rejected("there is no answer"))
    (line,) = lines(rejected, exchange("do", "", refused="quota"))
    assert (line["status"], line["error"], line["llm_response"]) == ("refused", "quota", None)


def test_a_rejected_candidate_has_no_scores_and_never_zero():
    (line,) = lines(trial(3, evaluation=Evaluation.rejected("not finite")))
    assert (line["train_score"], line["val_score"], line["simplicity"]) == (None, None, None)
    assert (line["status"], line["error"]) == ("rejected", "not finite")


def test_separators_that_are_no_newline_stay_in_their_line():
    (line,) = list(write_event_lines(trial(3, text="# \u2028 \x85 \r\n"), TrialCalls(0.0, ()), generation=0))
    assert "\n" not in line
    assert json.loads(line)["extracted_code"] == "# \u2028 \x85 \r\n"


# -- checkpoints ------------------------------------------------------------------------------------------------------


def checkpoint(generation):
    return Checkpoint(
        experiment_id="one",
        generation=generation,
        early_stop_counter=0,
        rng_state=RngState(seed=0, trial=8),
        run=RunPlace(id="abc", folder="/gone", commits=8),
    )


def test_the_last_three_checkpoints_are_kept_and_read_back(tmp_path):
    folder = Checkpoints(tmp_path, "one", keep=3)
    for generation in range(12):
        folder.write(checkpoint(generation))
    assert sorted(path.name for path in folder.folder.iterdir()) == ["gen_10.json", "gen_11.json", "gen_9.json"]
    assert read_checkpoint(folder.folder / "gen_11.json") == checkpoint(11)
    assert Checkpoints.newest_in(tmp_path) == folder.folder / "gen_11.json"


@pytest.mark.parametrize(
    "content", [b'{"experiment_id": 3}', b"", b'{"experiment_id": "' + b"x" * 9999, b"\xff\x00", b"[" * 200_000]
)
def test_a_checkpoint_that_cannot_be_read_is_the_users_mistake(tmp_path, content):
    path = tmp_path / "gen_1.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match="is no checkpoint") as caught:
        read_checkpoint(path)
    assert len(str(caught.value)) < len(str(path)) + 200, "one line, and not the file"


def test_a_checkpoint_whose_run_is_nowhere_is_the_users_mistake(tmp_path):
    for folder in ("/gone", f"/{'x' * 300}", "a\0b"):
        lost = checkpoint(1).model_copy(update={"run": RunPlace(id="abc", folder=folder, commits=8)})
        with pytest.raises(UserError, match="a checkpoint alone does not"):
            find_checkpoint_run(lost, tmp_path / "gen_1.json")
