"""Mending within a trial: what was wrong, and what was tried."""

from __future__ import annotations

import pytest

from evograft_hookspecs import Advice, Attempt, Candidate

PARENT = "def f(x):\n    return x\n"
BROKEN = "def f(x):\n    return 1 / 0\n"
CHILD = "def f(x):\n    return x * x\n"
ANSWER = f"```python\n{CHILD}```"


def candidate(source=BROKEN, *, operator="operators.rewrite", parents=(3,)):
    return Candidate.of(source, kind="python", operator=operator, trial=50, parents=parents)


def failed(reason="ZeroDivisionError", **more):
    return Attempt(reason=reason, **more)


def test_the_operator_is_declared_to_mend(desk):
    assert [each.name for each in desk().plugin.manifest.operators if each.repairs] == ["repair"]


def test_a_rejected_program_is_shown_with_the_reason_and_the_feedback(desk):
    at = desk(ANSWER)
    attempt = failed(candidate=candidate(), feedback="line 2 divides by zero")
    child = at.mutate("repair", at.trial(3, PARENT), failed=(attempt,))
    assert child.source == CHILD
    assert (child.operator, child.parents) == ("operators.repair", (3,))
    assert f"```python\n{BROKEN}```" in at.prompt
    assert "Rejected: ZeroDivisionError\n\nWhat its evaluation said:\n\nline 2 divides by zero" in at.prompt
    assert PARENT not in at.prompt


def test_an_answer_without_a_program_is_shown_beside_the_parent(desk):
    at = desk(ANSWER)
    attempt = failed("the answer has no code block", draft="Sorry, ```I``` can't.")
    child = at.mutate("repair", at.trial(3, PARENT, score=0.5), failed=(attempt,))
    assert child.parents == (3,)
    assert "The answer that was rejected:\n\n````\nSorry, ```I``` can't.\n````" in at.prompt
    assert "Program of trial 3, score 0.5" in at.prompt


def test_earlier_attempts_are_told_by_their_reasons(desk):
    at = desk(ANSWER)
    first = failed("first reason", candidate=candidate())
    second = failed("second reason", draft="I am sorry.")
    at.mutate("repair", at.trial(3, PARENT), failed=(first, second))
    assert at.prompt.index("first reason") < at.prompt.index("second reason") < at.prompt.index("I am sorry.")
    assert f"```python\n{BROKEN}```" in at.prompt


def test_only_the_newest_answer_is_shown(desk):
    at = desk(ANSWER)
    at.mutate("repair", at.trial(3, PARENT), failed=(failed(draft="the oldest answer"), failed(draft="the newest")))
    assert "the oldest answer" not in at.prompt
    assert "the newest" in at.prompt


@pytest.mark.parametrize(
    "attempt",
    [
        failed(draft="<<<<<<< SEARCH\nno\n=======\nyes\n>>>>>>> REPLACE\n"),
        failed(candidate=candidate(operator="operators.diff")),
        failed(candidate=candidate()),
    ],
)
def test_edits_and_what_there_is_to_search_in_are_mended_with_edits(desk, attempt):
    base = attempt.candidate.source if attempt.candidate else PARENT
    line = base.splitlines()[1]
    at = desk(f"<<<<<<< SEARCH\n{line}\n=======\n    return x * x\n>>>>>>> REPLACE\n")
    assert at.mutate("repair", at.trial(3, PARENT), failed=(attempt,)).source == CHILD
    assert "lines of the program, copied exactly" in at.prompt


def test_an_answer_without_a_program_is_mended_whole(desk):
    at = desk(ANSWER)
    at.mutate("repair", at.trial(3, PARENT), id="operators.fresh@0.500", failed=(failed(draft="no code"),))
    assert "give the whole program" in at.prompt


def test_a_rejected_program_may_be_given_whole_again(desk):
    at = desk(ANSWER)
    assert at.mutate("repair", at.trial(3, PARENT), failed=(failed(candidate=candidate()),)).source == CHILD


@pytest.mark.parametrize("again", [BROKEN, PARENT])
def test_the_same_program_again_is_no_repair(desk, again):
    at = desk(f"```python\n{again}```")
    rejection = at.rejection("repair", at.trial(3, PARENT), failed=(failed(candidate=candidate()),))
    assert "there already, unchanged" in rejection.reason


def test_a_fresh_program_is_mended_without_the_parents_that_it_did_not_see(desk):
    at = desk(ANSWER)
    parents = (at.trial(3, PARENT),)
    child = at.mutate("repair", *parents, id="operators.fresh@0.500", failed=(failed(draft="no code"),))
    assert child.parents == ()
    assert "return x\n" not in at.prompt


def test_a_rewrite_is_mended_from_the_one_parent_that_it_saw(desk):
    at = desk(ANSWER)
    parents = (at.trial(3, PARENT), at.trial(4, "other = 1\n"))
    child = at.mutate("repair", *parents, id="operators.rewrite@0.500", failed=(failed(draft="no code"),))
    assert child.parents == (3,)


def test_the_temperature_is_that_of_the_proposal_that_failed(desk):
    at = desk(ANSWER)
    at.mutate("repair", at.trial(3, PARENT), id="operators.rewrite@0.250", failed=(failed(draft="no code"),))
    assert at.model.requests[0].temperature == 0.25


def test_what_is_not_a_models_work_is_not_mended_by_one(desk):
    at = desk()
    attempts = [
        failed("n too large", candidate=candidate(operator="operators.grow")),
        failed("the model refused the request: too long"),
    ]
    for attempt in attempts:
        assert at.rejection("repair", at.trial(3, PARENT), failed=(attempt,)).reason == attempt.reason
    assert at.model.requests == []


def test_without_a_model_the_first_reason_stands(desk):
    at = desk()
    at.model.available = False
    rejection = at.rejection("repair", at.trial(3, PARENT), failed=(failed("slow", draft="x"),))
    assert (rejection.reason, rejection.draft) == ("slow", "x")


def test_there_has_to_be_something_to_mend(desk):
    at = desk()
    assert "has nothing to mend" in at.rejection("repair", at.trial(3, PARENT)).reason


def test_a_rejected_answer_can_be_mended_in_the_next_call(desk):
    """As the kernel does it: what `mutate` raised comes back as an attempt."""
    at = desk("I'm sorry.", "", "```python\ndef f(x:\n```", ANSWER)
    parent = at.trial(3, PARENT)
    attempts = []
    for name in ("rewrite", "repair", "repair"):
        rejection = at.rejection(name, parent, id="operators.rewrite@0.500", failed=tuple(attempts))
        attempts.append(Attempt(reason=rejection.reason, draft=rejection.draft))
    child = at.mutate("repair", parent, id="operators.rewrite@0.500", failed=tuple(attempts))
    assert child.source == CHILD
    assert "is not valid Python: line 1" in at.prompt


def test_a_rejected_program_is_fixed_without_what_is_said_of_others(desk):
    at = desk(
        ANSWER, past=(desk.trial(3, PARENT, score=2.0), desk.trial(4, "other = 1\n", score=9.0)), programs="ideas"
    )
    advice = (
        Advice(id="judge", title="The judge", text="It compiles."),
        Advice(id="cases", title="Case by case", text="Weak on 0003.", of_parent=True),
    )
    attempt = failed(candidate=candidate())
    at.mutate("repair", at.trial(3, PARENT), failed=(attempt,), advice=advice, instruction="Look at case 0003.")
    assert f"# The program\n\nThe program that was rejected:\n\n```python\n{BROKEN}```" in at.prompt
    assert "# The judge\n\nIt compiles." in at.prompt
    assert not [said for said in ("0003", "other = 1", "(#4)", "scores higher than") if said in at.prompt]


def test_an_answer_with_a_whole_program_is_shown_in_place_of_the_parent(desk):
    at = desk(ANSWER)
    draft = "Square it.\n```python\ndef f(x:\n    return x * x\n```"
    at.mutate("repair", at.trial(3, PARENT), failed=(failed("line 1 does not parse", draft=draft),))
    assert f"# The program\n\nThe answer that was rejected:\n\n````\n{draft}\n````" in at.prompt
    assert at.prompt.count("def f(x:") == 1
    assert PARENT not in at.prompt


def test_edits_that_were_rejected_are_shown_with_the_program_that_they_change(desk):
    at = desk("<<<<<<< SEARCH\n    return x\n=======\n    return x * x\n>>>>>>> REPLACE\n")
    draft = "<<<<<<< SEARCH\nno\n=======\nyes\n>>>>>>> REPLACE"
    at.mutate("repair", at.trial(3, PARENT), failed=(failed("no such lines", draft=draft),), instruction="Be bold.")
    assert f"Program of trial 3, score 1:\n\n```python\n{PARENT}```" in at.prompt
    assert draft in at.prompt
    assert "This time: Be bold." in at.prompt
