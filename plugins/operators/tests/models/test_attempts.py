"""Attempts of late, as prompts tell of them."""

import pytest

from evograft_hookspecs import Attempt, Candidate

START = "x = 0\n"


def written(desk, number, *, idea, parents=(0,), model="m", **more):
    """A trial that a model has made."""
    trial = desk.trial(number, f"x = {number}\n", parents=parents, model=model, **more)
    return trial.model_copy(update={"candidate": trial.candidate.model_copy(update={"idea": idea})})


def prompt_after(desk, *past, **options):
    """What a model is told that changes the first program, after these trials and six that fill the list of the best."""
    start = desk.trial(0, START, score=1.0)
    best = (desk.trial(number, f"y{number} = 1\n", score=float(number)) for number in range(90, 96))
    at = desk(past=(start, *past, *best), **{"programs": "ideas", "attempts": 10, **options})
    at.model.answers.append("sorry")
    at.rejection("diff", start)
    return at.prompt


def test_an_attempt_is_told_with_its_idea_its_score_and_where_it_started(desk):
    told = prompt_after(desk, written(desk, 1, idea="Swap pairs.", score=0.999999999))
    assert "- #1, 0.999999999 from 1 of #0: Swap pairs.\n" in told


def test_what_is_among_the_best_is_told_there(desk):
    told = prompt_after(
        desk, written(desk, 1, idea="Swap pairs.", score=99.0), written(desk, 2, idea="Sort.", score=98.0, parents=(1,))
    )
    assert "- 98 (#2) Sort." in told
    assert "Other attempts of late" not in told


def test_a_gain_over_a_poor_parent_is_told_as_well_and_what_was_written_from_scratch(desk):
    gain = written(desk, 2, idea="Swap pairs.", score=2.0, parents=(1,))
    fresh = written(desk, 3, idea="Guess.", parents=(), score=3.0)
    told = prompt_after(desk, written(desk, 1, idea="Sort.", score=1.5), gain, fresh)
    assert "- #3, 3 from scratch: Guess.\n- #2, 2 from 1.5 of #1: Swap pairs.\n" in told


def test_a_rejected_attempt_is_told_with_its_reason_and_the_idea_of_what_was_to_be_mended(desk):
    failed = written(desk, 1, idea="Use a heap.", score=None, reason="time-out")
    never_valid = desk.trial(2, None, score=None, reason="no code", model="m")
    mended_in_vain = never_valid.model_copy(
        update={
            "number": 3,
            "attempts": (
                Attempt(
                    reason="no",
                    candidate=Candidate.of("x", kind="python", operator="operators.diff", trial=3).model_copy(
                        update={"idea": "Use a tree."}
                    ),
                ),
            ),
        }
    )
    told = prompt_after(desk, failed, never_valid, mended_in_vain)
    lines = ("#3, rejected (no code): Use a tree.", "#2, rejected (no code)", "#1, rejected (time-out): Use a heap.")
    assert "\n".join(f"- {line}" for line in lines) in told
    assert "Why programs were rejected" not in told


def test_what_no_model_made_and_what_was_there_before_is_left_out(desk):
    tuned = written(desk, 1, idea="", score=0.5, model="")
    again = written(desk, 2, idea="Sort.", score=0.5, duplicate_of=1)
    assert "Other attempts of late" not in prompt_after(desk, tuned, again)


def test_the_newest_are_told_and_the_best_program_is_named(desk):
    past = [written(desk, number, idea=f"Idea {number}.", score=0.5) for number in range(1, 6)]
    told = prompt_after(desk, *past, written(desk, 6, idea="Good.", score=95.1234567), attempts=2)
    assert "# The best program so far\n\n" in told
    assert "\n\n95.1234567 (#6) Good.\n\n" in told
    assert "Idea 5.\n- #4, 0.5 from 1 of #0: Idea 4.\n" in told
    assert "Idea 3" not in told


def test_without_the_option_only_reasons_of_rejections_are_told(desk):
    failed = written(desk, 1, idea="Use a heap.", score=None, reason="time-out")
    told = prompt_after(desk, failed, attempts=0)
    assert "Other attempts of late" not in told
    assert "# Why programs were rejected lately\n\n- time-out\n" in told


@pytest.mark.parametrize(
    ("strategy", "told"),
    [
        ("refine", {"diff"}),
        ("combine", {"diff", "rewrite", "crossover"}),
        ("novel", {"rewrite", "fresh"}),
        ("my_own", {"diff", "rewrite", "crossover", "fresh"}),
    ],
)
def test_with_ideas_only_operators_that_a_strategy_does_not_contradict_are_told_of_it(desk, strategy, told):
    profiles = {strategy: dict.fromkeys(("diff", "rewrite", "crossover", "fresh"), 1.0)}
    chosen = {"strategy": strategy, "parents": (1, 2)}
    past = (desk.trial(1, "x = 1\n"), desk.trial(2, "x = 2\n"))
    offered = desk(profiles=profiles, programs="ideas", past=past).offered(**chosen)
    assert {name for name, proposal in offered.items() if proposal.instruction} == told
    assert all(proposal.instruction for proposal in desk(profiles=profiles).offered(**chosen).values())


def test_with_ideas_what_this_plugin_offers_builds_on_the_better_one_of_two_programs(desk):
    worse, better = desk.trial(1, "x = 1\n", score=1.0), desk.trial(2, "x = 2\n", score=2.0)
    for programs, more, first in (("ideas", {}, 2), ("ideas", {"id": "others.joins"}, 1), ("lines", {}, 1)):
        at = desk(*["An idea.\n```python\nx = 3\n```"] * 2, programs=programs)
        assert at.mutate("crossover", worse, better, **more).parents[0] == first
        assert at.mutate("diff", worse, better, **more).parents == (first,)
