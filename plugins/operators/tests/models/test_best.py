"""The best program in a prompt, and programs that differ by tuned numbers alone."""

import pytest

from evograft_operators.models.tuned_variants import find_origin

PARENT = "rate = 0.5\n"
BEST = "def swap():\n    return 1\n"


def written(desk, number, text, *, idea="", model="m", parents=(), **more):
    trial = desk.trial(number, text, model=model, parents=parents, **more)
    return trial.model_copy(update={"candidate": trial.candidate.model_copy(update={"idea": idea})})


def prompt_of(desk, name, *parents, past=(), **options):
    at = desk("sorry", past=(*parents, *past), **{"programs": "ideas", **options})
    at.rejection(name, *parents)
    return at.prompt


def test_a_better_program_than_the_parent_is_told_with_its_idea_and_its_text_however_old_it_is(desk):
    best = written(desk, 1, BEST, idea="Swap pairs.", score=9.0)
    later = [desk.trial(number, f"x{number} = 1\n", score=0.1) for number in range(2, 60)]
    prompt = prompt_of(desk, "diff", desk.trial(0, PARENT, score=1.0), past=(best, *later))
    assert (
        f"# The best program so far\n\nIt is told to learn from; it is not the one to change.\n\n9 (#1) Swap pairs.\n\n```python\n{BEST}```"
        in prompt
    )
    assert "No program so far scores higher" not in prompt


def test_a_parent_that_is_the_best_is_called_so(desk):
    prompt = prompt_of(desk, "rewrite", desk.trial(0, PARENT, score=9.0), past=[written(desk, 1, BEST, score=9.0)])
    assert "No program so far scores higher than that of trial 0, above." in prompt
    assert "# The best program so far" not in prompt


def test_a_score_that_was_estimated_is_not_the_best(desk):
    early = written(desk, 1, BEST, idea="Swap pairs.", score=9.0)
    early = early.model_copy(update={"evaluation": early.evaluation.model_copy(update={"status": "pruned"})})
    prompt = prompt_of(desk, "diff", desk.trial(0, PARENT, score=1.0), past=[early])
    assert "No program so far scores higher than that of trial 0, above." in prompt


def test_a_long_program_is_told_without_its_text(desk):
    best = written(desk, 1, BEST * 100, idea="Swap pairs.", score=9.0)
    prompt = prompt_of(desk, "diff", desk.trial(0, PARENT, score=1.0), past=[best], prompt_chars=8000)
    assert "9 (#1) Swap pairs." in prompt
    assert "def swap" not in prompt


def test_nothing_of_the_parent_is_cut_to_show_the_best(desk):
    best = written(desk, 1, "y = 22\n" * 250, idea="Swap pairs.", score=9.0)
    parent = desk.trial(0, "x = 11\n" * 350, score=1.0)
    prompt = prompt_of(desk, "diff", parent, past=[best], prompt_chars=5000)
    assert prompt.count("x = 11\n") == 350
    assert "y = 22\n" not in prompt
    assert "9 (#1) Swap pairs." in prompt


@pytest.mark.parametrize("name", ["fresh", "crossover"])
def test_whoever_changes_no_single_program_is_told_the_idea_alone(desk, name):
    parents = () if name == "fresh" else (desk.trial(0, PARENT, score=1.0), desk.trial(2, "x = 1\n", score=1.0))
    prompt = prompt_of(desk, name, *parents, past=[written(desk, 1, BEST, idea="Swap pairs.", score=9.0)])
    assert "9 (#1) Swap pairs." in prompt
    assert "def swap" not in prompt


def test_without_a_history_nothing_is_told_of_the_best(desk):
    prompt = prompt_of(desk, "diff", desk.trial(0, PARENT, score=1.0), past=[written(desk, 1, BEST)], history=0)
    assert "so far scores higher" not in prompt
    assert "The best program so far" not in prompt


def test_of_programs_that_differ_by_tuned_numbers_the_best_alone_is_told_with_the_idea_of_the_first(desk):
    seed = written(desk, 0, "n = 7\n", model="", score=0.1)
    first = written(desk, 1, PARENT, idea="Decay the rate.", score=1.0)
    tuned = [
        written(desk, number, f"rate = {number / 100}e-3\n", model="", parents=(number - 1,), score=1 + number / 10)
        for number in (2, 3, 4)
    ]
    best = written(desk, 5, BEST, score=9.0)
    prompt = prompt_of(desk, "diff", seed, past=(first, *tuned, best))
    assert "- 1.4 (#4: #1 with other numbers) Decay the rate." in prompt
    assert prompt.count("Decay the rate.") == 1
    assert "(#3" not in prompt


def test_tuned_numbers_of_the_parent_are_no_other_program_but_told_where_they_are_the_best(desk):
    tuned = [
        written(desk, number, f"rate = 0.{number}\n", model="", parents=(0,), score=float(number)) for number in (6, 7)
    ]
    prompt = prompt_of(desk, "diff", desk.trial(0, PARENT, score=1.0), past=tuned)
    assert "7 (#7: #0 with other numbers)" in prompt
    assert "  + rate = 0.7" in prompt
    assert "Other programs of late" not in prompt


def test_a_program_that_a_model_wrote_is_its_own_whatever_it_differs_by(desk):
    at = desk(past=(desk.trial(0, PARENT),))
    by_model = written(desk, 1, "rate = 0.6\n", parents=(0,))
    longer = written(desk, 2, "rate = 0.6\nrate = 0.7\n", parents=(0,), model="")
    assert [find_origin(each, at.past) for each in (by_model, longer)] == [by_model, longer]


def test_a_tuned_program_that_names_no_parent_belongs_to_the_seed_program(desk):
    seed, nudged = desk.trial(0, PARENT), written(desk, 4, "rate = 0.6\n", model="")
    assert find_origin(nudged, desk(past=(seed,)).past) == seed
    assert find_origin(nudged, desk().past) == nudged, "the seed program is not committed yet"
