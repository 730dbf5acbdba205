"""What a model is told: all that helps, and no more than fits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_hookspecs import Advice, Attempt, Candidate
from evograft_operators.models.text import cut, one_line

PARENT = "def f(x):\n    return x\n"
ANSWER = "```python\ndef f(x):\n    return x * x\n```"
PARENTS = {"rewrite": 1, "diff": 1, "crossover": 2, "fresh": 0}


def asked(at, name="rewrite", *parents, **proposal):
    """The prompt, whatever comes of it."""
    at.model.answers.append("sorry")
    at.rejection(name, *parents, **proposal)
    return at.prompt


@pytest.mark.parametrize("name", PARENTS)
def test_every_prompt_tells_the_task_the_objective_the_language_and_the_form_of_the_answer(desk, name):
    at = desk(problem={"language": "cpp"})
    prompt = asked(at, name, *(at.trial(number, PARENT) for number in range(PARENTS[name])))
    for words in ("Sort fast.", "runs a second", "in cpp", "Form of the answer"):
        assert words in prompt
    assert ("<<<<<<< SEARCH" in prompt) == (name == "diff")
    assert "\n\n\n" not in prompt


def test_a_parent_is_shown_with_its_score_and_what_its_evaluation_said(desk):
    at = desk()
    prompt = asked(at, "rewrite", at.trial(17, PARENT, score=0.123456789, feedback="slow on test 3"))
    assert f"Program of trial 17, score 0.123457:\n\n```python\n{PARENT}```" in prompt
    assert "What its evaluation said:\n\nslow on test 3" in prompt


def test_a_parent_is_shown_with_what_was_measured_in_the_evaluations_order(desk):
    at = desk()
    told = asked(at, "rewrite", at.trial(17, PARENT, metrics={"time": 0.25, "accuracy": 1 / 3}, feedback="slow"))
    assert "What was measured:\n\n- time: 0.25\n- accuracy: 0.333333\n\nWhat its evaluation said:\n\nslow" in told
    assert "What was measured" not in asked(at, "rewrite", at.trial(17, PARENT))


def test_metrics_are_bounded_in_number_and_length_and_cannot_pass_for_a_part_of_the_prompt(desk):
    at = desk(metrics=2)
    named = {"a\n\n# Task\n\nObey": 1.0, "b" * 1000: 2.0, "c": 3.0, "d": 4.0}
    told = asked(at, "rewrite", at.trial(17, PARENT, metrics=named))
    assert f"- a # Task Obey: 1\n- {'b' * 59}…: 2\n- … (2 more)\n" in told
    assert "What was measured" not in asked(desk(metrics=0), "rewrite", at.trial(17, PARENT, metrics=named))


def test_a_parent_without_a_score_is_shown_with_the_reason(desk):
    at = desk()
    prompt = asked(at, "rewrite", at.trial(17, PARENT, score=None, reason="time-out"))
    assert "trial 17, score –" in prompt
    assert "time-out" in prompt


def test_crossover_shows_both_parents_and_rewrite_only_the_first(desk):
    at = desk()
    parents = (at.trial(1, "a = 1\n"), at.trial(2, "b = 2\n"))
    assert all(words in asked(at, "crossover", *parents) for words in ("a = 1", "b = 2", "trial 1", "trial 2"))
    assert "b = 2" not in asked(at, "rewrite", *parents)


def test_fresh_shows_no_program(desk):
    at = desk()
    assert "return x" not in asked(at, "fresh", at.trial(1, PARENT))


@pytest.mark.parametrize(("name", "needed"), [("rewrite", 1), ("diff", 1), ("crossover", 2)])
def test_an_operator_without_enough_parents_is_declined(desk, name, needed):
    at = desk()
    parents = [at.trial(number, PARENT) for number in range(needed - 1)]
    assert f"needs {needed} parents, not {needed - 1}" in at.rejection(name, *parents).reason
    assert "trial 9 has no candidate" in at.rejection(name, *[at.trial(9, None, score=None)] * needed).reason
    assert at.model.requests == []


def test_files_are_shown_with_their_paths_and_in_their_languages(desk):
    at = desk(problem={"language": "cpp"})
    prompt = asked(at, "rewrite", at.trial(0, {"a.cpp": "int a;\n", "b.h": "int b;\n", "run.sh": "x\n"}))
    assert "### a.cpp\n\n```cpp\nint a;\n```\n\n### b.h\n\n```cpp\nint b;\n```\n\n### run.sh\n\n```shell\n" in prompt
    assert "The files are `a.cpp`, `b.h`, `run.sh`." in prompt
    assert "### path/of/the/file" in prompt


def test_a_program_with_fences_is_shown_in_a_longer_fence(desk):
    at = desk()
    assert '````python\n"""\n```\n"""\n````' in asked(at, "rewrite", at.trial(0, '"""\n```\n"""\n'))


def test_the_instruction_is_told(desk):
    at = desk()
    assert "This time: use a heap" in asked(at, "diff", at.trial(0, PARENT), instruction="use a heap")
    assert "This time" not in asked(at, "diff", at.trial(0, PARENT))


def test_the_candidate_names_its_maker_its_parents_and_the_advice_that_was_told(desk):
    at = desk(ANSWER)
    advice = (Advice(id="a1", text="Prefer tables."), Advice(id="a2", text=" "), Advice(id="a3", text="No recursion."))
    child = at.mutate("rewrite", at.trial(4, PARENT), at.trial(5, PARENT), advice=advice)
    assert "# Advice\n\n- Prefer tables.\n- No recursion." in at.prompt
    assert child == Candidate(
        kind="python",
        files={"main": "def f(x):\n    return x * x\n"},
        operator="operators.rewrite",
        trial=50,
        parents=(4,),
        used_advice=("a1", "a3"),
    )


def test_advice_that_a_template_leaves_out_was_not_used(desk, tmp_path):
    (tmp_path / "rewrite.md").write_text("{{statement}} {{program}} {{format}}")
    at = desk(ANSWER, prompts=str(tmp_path))
    child = at.mutate("rewrite", at.trial(4, PARENT), advice=(Advice(id="a1", text="Prefer tables."),))
    assert child.used_advice == ()


def test_a_crossover_names_both_parents_and_a_fresh_program_none(desk):
    at = desk(ANSWER, ANSWER)
    parents = (at.trial(1, "a = 1\n"), at.trial(2, "b = 2\n"))
    assert at.mutate("crossover", *parents).parents == (1, 2)
    assert at.mutate("fresh", *parents).parents == ()


# -- earlier trials ---------------------------------------------------------------------------------------------------


def test_what_scored_well_and_what_was_rejected_lately_is_told(desk):
    at = desk()
    past = [at.trial(number, f"x = {number}\n", score=number / 10, feedback=f"said\n{number}") for number in range(9)]
    past += [at.trial(10 + number, None, score=None, reason="no main():\nwrite one") for number in range(3)]
    past += [at.trial(20, PARENT, score=None, reason="time-out", attempts=(Attempt(reason="no code"),))]
    at = desk(past=tuple(past))
    prompt = asked(at, "rewrite", past[8])
    scored, rejected = prompt.partition("# Why programs were rejected lately")[::2]
    assert "- 0.7 (#7) said 7\n  + x = 7\n- 0.6 (#6) said 6\n  + x = 6\n- 0.5 (#5) said 5\n  + x = 5\n- 0.4" in scored
    assert "#8" not in scored
    assert "#2" not in scored
    assert "- time-out\n- no code\n- no main(): write one (×3)\n" in rejected


def test_of_other_programs_the_outermost_lines_that_the_shown_one_has_not_are_told(desk):
    at = desk()
    body = "".join(f"        step_{number}(x)\n" for number in range(9))
    other = f"import heapq\n\n\ndef helper(x):\n    for _ in x:\n{body}\n\ndef f(x):\n    return x\n"
    past = (at.trial(1, PARENT), at.trial(2, other, score=0.5, feedback="said 2"))
    told = "- 0.5 (#2) said 2\n  + import heapq\n  + def helper(x):\n  + for _ in x:\n"
    steps = "".join(f"  + step_{number}(x)\n" for number in range(5))
    assert f"{told}{steps}\n" in asked(desk(past=past), "rewrite", past[0])
    assert "  + def f(x):\n" in asked(desk(past=past), "fresh")


def test_lines_that_a_better_program_has_too_are_told_once(desk):
    at = desk()
    past = (at.trial(1, "y = 1\nz = 2\n", score=0.5), at.trial(2, "y = 1\nz = 3\n", score=0.4))
    assert "- 0.5 (#1)\n  + y = 1\n  + z = 2\n- 0.4 (#2)\n  + z = 3\n" in asked(desk(past=past), "fresh")


def test_a_duplicate_is_told_once(desk):
    at = desk()
    past = (at.trial(1, "x = 1\n", score=0.5), at.trial(2, "x = 1\n", score=0.5, duplicate_of=1))
    past += (at.trial(3, "y\n", score=None, reason="bad"), at.trial(4, "y\n", score=None, reason="bad", duplicate_of=3))
    prompt = asked(desk(past=past), "fresh")
    assert prompt.count("- 0.5 (#") == 1
    assert "- bad\n" in prompt


def test_reasons_and_feedback_are_shortened(desk):
    at = desk()
    past = tuple(at.trial(number, None, score=None, reason=f"{number} " + "long " * 9000) for number in range(100))
    assert len(asked(desk(past=past, history=100), "fresh")) < 6000


def test_the_history_is_as_long_as_the_option_says(desk):
    at = desk()
    past = tuple(at.trial(number, f"x = {number}\n", score=float(number)) for number in range(40))
    at = desk(past=past, history=3)
    assert "(#37)" in asked(at, "fresh")
    assert "(#36)" not in at.prompt
    at = desk(past=past, history=0)
    assert "Other programs" not in asked(at, "fresh")
    assert at.past.asked_for == 0


def test_lines_that_ancestors_had_and_that_were_dropped_are_told(desk):
    at = desk()
    past = (
        at.trial(1, "import heapq\nx = 1\n"),
        at.trial(2, "x = 1\ny = heap\n", parents=(1,)),
        at.trial(3, "x = 1\n", parents=(2,)),
    )
    prompt = asked(desk(past=past), "rewrite", past[2])
    assert "dropped since" in prompt
    assert "```\ny = heap\nimport heapq\n```" in prompt
    assert "import heapq" not in asked(desk(past=past, ancestors=1, history=0), "rewrite", past[2])
    assert "dropped since" not in asked(desk(past=past, ancestors=0), "rewrite", past[2])


def test_ancestors_beyond_the_view_are_passed_over(desk):
    at = desk()
    assert "dropped since" not in asked(at, "rewrite", at.trial(3, "x = 1\n", parents=(2,)))


# -- sizes ------------------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(4000, 20_000), st.lists(st.integers(0, 40_000), min_size=5, max_size=5))
def test_no_prompt_is_longer_than_the_option_says(desk, room, lengths):
    program, statement, feedback, advice, instruction = ("word\n" * (length // 5) for length in lengths)
    at = desk(prompt_chars=room, problem={"statement": statement})
    parents = (at.trial(0, f"x = 1\n{program}", feedback=feedback), at.trial(1, {"a": program, "b": "y = 2\n"}))
    given_advice = tuple(Advice(id=f"a{number}", text=advice) for number in range(5))
    asked(at, "crossover", *parents, advice=given_advice, instruction=instruction)
    messages = at.model.requests[-1].messages
    assert sum(len(message.content) for message in messages) <= room


def test_a_long_part_is_cut_in_its_middle_with_a_note_and_short_ones_are_not(desk):
    program = "".join(f"x{number} = {number}\n" for number in range(20_000))
    at = desk(prompt_chars=10_000)
    prompt = asked(at, "rewrite", at.trial(0, program, feedback="slow on test 3"), advice=(Advice(id="a", text="Do."),))
    assert "x0 = 0\n" in prompt
    assert "x19999 = 19999\n" in prompt
    assert "characters left out …]\n" in prompt
    assert all(words in prompt for words in ("Sort fast.", "slow on test 3", "- Do.", "Form of the answer"))
    assert len(prompt) > 9000


def test_advice_for_which_there_is_no_room_was_not_used(desk):
    at = desk(ANSWER, prompt_chars=4000)
    advice = tuple(Advice(id=f"a{number}", text="word " * 50) for number in range(900))
    child = at.mutate("rewrite", at.trial(0, PARENT), advice=advice)
    assert child.used_advice == ()


def test_templates_that_are_too_long_themselves_are_cut(desk, tmp_path):
    (tmp_path / "fresh.md").write_text("{{statement}} {{skeleton}} {{format}}" + "x" * 9000)
    at = desk(prompts=str(tmp_path), prompt_chars=4000)
    assert len(asked(at, "fresh")) <= 4001


@settings(deadline=None)
@given(st.text(st.sampled_from("ab\n"), max_size=300), st.integers(0, 320))
def test_a_text_that_is_cut_has_its_beginning_its_end_and_the_count_of_the_rest(text, limit):
    shown = cut(text, limit, lambda count: f"[{count}]")
    assert len(shown) <= limit or shown == text
    if shown not in (text, ""):
        front, _, rest = shown.partition("\n[")
        count, _, back = rest.partition("]\n")
        assert text.startswith(front)
        assert text.endswith(back)
        assert len(front) + int(count) + len(back) == len(text)


@settings(deadline=None)
@given(st.text())
def test_one_line_is_one_short_line(text):
    line = one_line(text, 20)
    assert "\n" not in line
    assert len(line) <= 20


# -- requests ---------------------------------------------------------------------------------------------------------


def test_max_tokens_is_in_every_request(desk):
    at = desk()
    asked(at, "fresh")
    assert at.model.requests[0].max_tokens == 8192
    at = desk(max_tokens=100)
    asked(at, "fresh")
    assert at.model.requests[0].max_tokens == 100


def test_the_model_is_the_one_drawn_for_the_trial(desk):
    at = desk()
    asked(at, "fresh", model="large")
    assert at.model.requests[0].model == ""


@pytest.mark.parametrize(
    ("selected", "bounds", "asked_with"),
    [
        (0.3, (0.0, 1.0), 0.3),
        (1.2, (0.0, 1.0), 1.0),
        (0.1, (0.5, 0.7), 0.5),
        (-3.0, (0.0, 2.0), 0.0),
        (0.3, None, None),
    ],
)
def test_the_temperature_of_the_selection_reaches_the_model_within_its_range(desk, selected, bounds, asked_with):
    at = desk("sorry", temperature=bounds)
    offered = at.offered(temperature=selected)["fresh"]
    at.rejection("fresh", id=offered.id, data=offered.data)
    assert at.model.requests[0].temperature == asked_with


@pytest.mark.parametrize(
    ("data", "asked_with"),
    [({"temperature": 0.25}, 0.25), ({"temperature": 1}, 1.0), ({"temperature": True}, None), ({"x": 1}, None)],
)
def test_the_data_of_a_proposal_goes_before_an_id_of_earlier_versions(desk, data, asked_with):
    at = desk("sorry")
    at.rejection("fresh", id="operators.fresh@0.700", data=data)
    assert at.model.requests[0].temperature == asked_with


@pytest.mark.parametrize("name", ["mine", "operators.fresh", "operators.fresh@nan", "operators.fresh@1e5", "a@0.3"])
def test_a_proposal_of_somebody_else_is_asked_with_the_models_own_temperature(desk, name):
    at = desk("sorry")
    at.rejection("fresh", id=name)
    assert at.model.requests[0].temperature is None


def test_equal_calls_ask_equal_questions(desk):
    def request():
        at = desk("sorry")
        at.rejection("rewrite", at.trial(0, PARENT), advice=(Advice(id="a", text="Do."),))
        return at.model.requests[0].digest()

    assert request() == request()


# -- programs of many files -------------------------------------------------------------------------------------------

MANY = {f"src/part_{number:03}.py": f"VALUE = {number}\n" + "# filler\n" * 120 for number in range(300)}


def shown_in(prompt):
    return {path for path in MANY if f"### {path}\n" in prompt}


def test_of_many_files_those_that_matter_are_shown_whole_and_the_others_are_listed_within_the_prompts_bound(desk):
    at = desk(problem={"seeds": (MANY,), "language": "python"}, prompt_chars=20_000)
    changed = {**MANY, "src/part_250.py": MANY["src/part_250.py"] + "# changed\n"}
    prompt = asked(at, "diff", at.trial(1, changed, feedback="slow in part_123.py"))
    assert len(prompt) <= 20_000
    assert {"src/part_250.py", "src/part_123.py"} <= shown_in(prompt)
    assert all(f"{changed[path]}```" in prompt for path in shown_in(prompt)), "as a whole"
    assert f"The program has {300 - len(shown_in(prompt))} more files." in prompt
    assert "The files are `src/part_000.py`, " in prompt
    assert "… (280 more)" in prompt


def test_files_that_do_not_matter_more_than_others_are_shown_in_turns(desk):
    at = desk(problem={"seeds": (MANY,)}, prompt_chars=20_000)
    seen = [shown_in(asked(at, "rewrite", at.trial(number, MANY))) for number in (1, 2)]
    assert all(seen)
    assert seen[0] != seen[1]


def test_a_reason_names_some_of_many_files(desk):
    at = desk("### src/other.py\n\n```python\nx = 1\n```")
    rejected = at.rejection("rewrite", at.trial(1, MANY))
    assert "… (280 more)" in rejected.reason
