"""The idea of an answer: its first sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_hookspecs import Candidate, Evaluation, Trial
from evograft_operators.models.answer_text import IDEA, extract_idea
from evograft_operators.models.memory import list_rejected, list_scored


@pytest.mark.parametrize(
    ("text", "idea"),
    [
        ("Swap pairs. It is fast. More words.\n```cpp\nint a;\n```", "Swap pairs. It is fast."),
        ("# Idea\n\nSwap pairs.\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", "Swap pairs."),
        ("#28 did it all. Swap pairs.\n```\nx\n```", "#28 did it all. Swap pairs."),
        ("<think>I doubt it. Hm.</think>Swap pairs of 0.5 kg!\n```\nx\n```", "Swap pairs of 0.5 kg!"),
        ("交換する。速い。三つ目。\n```\nx\n```", "交換する。速い。"),
        ("```cpp\nint a;\n```\nAfterwards.", ""),
        ("<think>never closed", ""),
    ],
)
def test_the_first_two_sentences_before_the_program_are_the_idea(text, idea):
    assert extract_idea(text) == idea


@given(st.text(max_size=2000))
def test_an_idea_is_one_short_line_whatever_the_answer(text):
    idea = extract_idea(text)
    assert len(idea) <= IDEA
    assert "\n" not in idea


def test_a_program_without_an_idea_is_told_by_its_maker_and_its_lines():
    candidate = Candidate.of("x = 2\n", kind="python", operator="lab.tune", trial=1)
    tuned = Trial(number=1, view=0, candidate=candidate, evaluation=Evaluation(status="ok", score=2, feedback="long"))
    assert list_scored([tuned], [{"main": "x = 1\n"}], ideas=True) == ("2 (#1) by lab.tune\n  + x = 2",)
    assert list_scored([tuned], [{"main": "x = 1\n"}])[0].startswith("2 (#1) long")


def test_what_a_tuner_tried_in_vain_is_no_lesson_for_a_model():
    tuned = Trial(number=1, view=0, evaluation=Evaluation.rejected("SIGSEGV"))
    written = Trial(number=2, view=0, evaluation=Evaluation.rejected("does not compile"), model="m")
    assert list_rejected([tuned, written], of_models=True) == ("does not compile",)
    assert len(list_rejected([tuned, written])) == 2
