"""The bundled task: its start program scores little, and its numbers alone bring it far."""

import importlib.util
from importlib.resources import files

import pytest

from evograft_program.options import ProgramOptions
from evograft_program.tuning.operators import count_choices

FOLDER = files("evograft_program") / "examples" / "cache"
PROGRAM = (FOLDER / "program.py").read_text()


@pytest.fixture
def evaluate(tmp_path):
    spec = importlib.util.spec_from_file_location("cache_evaluator", str(FOLDER / "evaluate.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def score(text):
        # A name for each: Python takes a file of equal size and second for the one that it compiled before.
        path = tmp_path / f"program_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        return module.evaluate(str(path))

    return score


def test_the_start_program_leaves_room_and_its_score_is_the_same_each_time(evaluate):
    found = evaluate(PROGRAM)
    assert found == evaluate(PROGRAM)
    assert 0.6 < found["combined_score"] < 0.7
    assert {"drift", "bursts", "scans", "loops"} < found.keys()


def test_other_numbers_are_worth_a_fifth_more(evaluate):
    better = PROGRAM.replace("RECENCY = 0.3", "RECENCY = 2.0").replace("FREQUENCY = 2.5", "FREQUENCY = 0.4")
    assert evaluate(better)["combined_score"] > 1.2 * evaluate(PROGRAM)["combined_score"]


def test_all_five_numbers_are_tuned():
    required = {"task": {"folder": "."}, "evaluator": {"path": "evaluate.py", "style": "openevolve"}}
    assert count_choices({"main": PROGRAM}, ProgramOptions.model_validate(required)) == 5


def test_a_victim_that_is_not_in_the_cache_is_an_error(evaluate):
    with pytest.raises(ValueError, match="no key of the cache"):
        evaluate("def choose_victim(entries, now):\n    return 'nobody'\n")
