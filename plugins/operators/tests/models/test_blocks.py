"""EVOLVE-BLOCK marks: what is outside stays, whatever a model answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft.text.evolve_blocks import MarksBroken, empty_blocks, is_marked, take_apart
from evograft_hookspecs import CandidateRejected, LlmAnswer
from evograft_operators.models.answer import AnswerBase, AnswerRules, read_answer
from evograft_operators.models.blocks import keep_outside
from evograft_operators.models.fences import write_fence

PROGRAM = """import math

# EVOLVE-BLOCK-START
def weight(x):
    return x
# EVOLVE-BLOCK-END

def main():
    return weight(2)

# EVOLVE-BLOCK-START
LIMIT = 3
# EVOLVE-BLOCK-END
"""
pieces = st.sampled_from(
    ["# EVOLVE-BLOCK-START\n", "// EVOLVE-BLOCK-END\n", "x = 1\n", "\n", "y = 2", "def main():\n", "    return 3\r\n"]
)
texts = st.lists(pieces, max_size=12).map("".join)
marked = st.lists(
    st.tuples(st.sampled_from(["", "a\n", "b\r\n"]), st.sampled_from(["", "x\n", "y\n"])), min_size=1
).map(
    lambda pairs: "".join(f"{outer}/* EVOLVE-BLOCK-START */\n{inner}/* EVOLVE-BLOCK-END */\n" for outer, inner in pairs)
)


def outside(text):
    return take_apart(text).outside


def read(answer, program=PROGRAM, **files):
    ground = AnswerBase({"main": program, **files})
    return read_answer(LlmAnswer(text=answer, model="m"), ground, AnswerRules())["main"]


def edit(search, replace):
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n"


def refused(answer, **files):
    with pytest.raises(CandidateRejected) as caught:
        read(answer, **files)
    return caught.value.reason


@settings(deadline=None)
@given(texts)
def test_a_text_that_is_taken_apart_can_be_put_together(text):
    try:
        skeleton = take_apart(text)
    except MarksBroken:
        return
    assert skeleton.filled(skeleton.inside) == text
    assert len(skeleton.outside) == len(skeleton.inside) + 1


@settings(deadline=None)
@given(marked, texts)
def test_whatever_whole_program_is_answered_the_outside_stays(base, child):
    try:
        kept = keep_outside({"main": base}, {"main": child})["main"]
    except CandidateRejected:
        return
    assert outside(kept) == outside(base)


@settings(deadline=None)
@given(marked, st.one_of(texts.map(write_fence), st.text(), st.tuples(texts, texts).map(lambda pair: edit(*pair))))
def test_whatever_is_answered_the_outside_stays(base, answer):
    try:
        child = read(answer, base)
    except CandidateRejected:
        return
    assert outside(child) == outside(base)
    assert child != base


@settings(deadline=None)
@given(marked, st.data())
def test_whatever_lines_are_replaced_the_outside_stays(base, data):
    lines = base.replace("\r", "").split("\n")
    start = data.draw(st.integers(0, len(lines) - 1))
    stop = data.draw(st.integers(start + 1, len(lines)))
    answer = edit("\n".join(lines[start:stop]), data.draw(texts).removesuffix("\n"))
    try:
        child = read(answer, base)
    except CandidateRejected:
        return
    assert outside(child) == outside(base)


def test_the_blocks_of_a_program_that_is_otherwise_changed_are_taken_over():
    answer = PROGRAM.replace("return x", "return x * x").replace("import math", "import os")
    assert read(write_fence(answer)) == PROGRAM.replace("return x", "return x * x")


def test_blocks_are_matched_in_their_order():
    assert take_apart(read(write_fence(PROGRAM.replace("LIMIT = 3", "LIMIT = 4")))).inside == (
        "def weight(x):\n    return x\n",
        "LIMIT = 4\n",
    )


def test_edits_within_a_block_are_applied():
    assert read(edit("    return x", "    return x + 1")) == PROGRAM.replace("return x", "return x + 1")


def test_edits_may_take_in_the_marks_as_long_as_they_keep_them():
    search = "# EVOLVE-BLOCK-START\nLIMIT = 3"
    assert read(edit(search, "# EVOLVE-BLOCK-START\nLIMIT = 5")) == PROGRAM.replace("LIMIT = 3", "LIMIT = 5")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (write_fence("def weight(x):\n    return 7\n"), "the answer has no EVOLVE-BLOCKs, the program has 2"),
        (write_fence("# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\n"), "has 1 EVOLVE-BLOCK, the program has 2"),
        (write_fence(PROGRAM.replace("LIMIT = 3", "# EVOLVE-BLOCK-END\n# EVOLVE-BLOCK-START")), "3 EVOLVE-BLOCKs"),
        (write_fence(PROGRAM + "# EVOLVE-BLOCK-START\n"), "line 14: EVOLVE-BLOCK-START without EVOLVE-BLOCK-END"),
        (write_fence(PROGRAM.replace("import math", "import os")), "all that the answer changes is outside"),
        (edit("import math", "import os"), "block 1 changes text outside"),
        (edit("LIMIT = 3\n# EVOLVE-BLOCK-END", "LIMIT = 3"), "block 1 changes text outside"),
        (edit("LIMIT = 3", "# EVOLVE-BLOCK-END\nx\n# EVOLVE-BLOCK-START"), "block 1 changes text outside"),
        (edit("LIMIT = 3", "L = 4") + edit("import math", "import os"), "block 2 changes text outside"),
        (write_fence(empty_blocks({"main": PROGRAM})["main"]), "nothing stands between"),
    ],
)
def test_answers_that_move_or_lose_marks_are_refused_with_the_reason(answer, words):
    assert words in refused(answer)


@pytest.mark.parametrize("leader", ["# ", "// ", "/* ", "-- ", "; ", "% ", "<!-- ", "(* ", "REM ", "int x; // "])
def test_marks_stand_in_any_comment(leader):
    text = f"a\n{leader}EVOLVE-BLOCK-START\nb\n{leader}EVOLVE-BLOCK-END */\nc\n"
    assert take_apart(text).inside == ("b\n",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-START\n", "line 2: EVOLVE-BLOCK-START inside of the block that line 1"),
        ("x\n# EVOLVE-BLOCK-END\n", "line 2: EVOLVE-BLOCK-END without EVOLVE-BLOCK-START"),
        ("# EVOLVE-BLOCK-START\nx", "line 1: EVOLVE-BLOCK-START without EVOLVE-BLOCK-END"),
        ("# between EVOLVE-BLOCK-START and EVOLVE-BLOCK-END\n", "line 1 holds more than one mark"),
    ],
)
def test_broken_marks_are_named_with_their_line(text, words):
    with pytest.raises(MarksBroken, match=words):
        take_apart(text)


def test_a_parent_with_broken_marks_is_refused_before_a_model_is_asked(desk):
    at = desk("never asked")
    reason = at.rejection("rewrite", at.trial(4, "x = 1\n# EVOLVE-BLOCK-END\n")).reason
    assert reason == (
        "the EVOLVE-BLOCK marks of trial 4 are broken: main, line 2: EVOLVE-BLOCK-END without EVOLVE-BLOCK-START"
    )
    assert at.model.requests == []


def test_line_ends_outside_stay_and_those_inside_follow():
    base = "a\r\n# EVOLVE-BLOCK-START\r\nx = 1\r\n# EVOLVE-BLOCK-END\r\nb\n"
    assert read(write_fence(base.replace("\r", "").replace("1", "2")), base) == base.replace("1", "2")


# -- several files ----------------------------------------------------------------------------------------------------


CHANGED = f"### main\n{write_fence(PROGRAM.replace('3', '4'))}\n"
READ_ONLY = "changes other, which is read-only because it has no EVOLVE-BLOCK marks: change only what is between the"


@pytest.mark.parametrize(
    ("answer", "who"),
    [
        (f"{CHANGED}### other\n{write_fence('is')}", "the answer"),
        (f"### other\n{edit('was', 'is')}", "SEARCH/REPLACE block 1 (other)"),
        (edit("was", "is"), "SEARCH/REPLACE block 1 (other)"),
    ],
    ids=["whole files", "an edit", "an edit that names no file"],
)
def test_a_change_of_a_file_without_marks_is_refused_by_name_where_another_has_some(answer, who):
    assert refused(answer, other="was\n") == f"{who} {READ_ONLY} marks of main"


def test_a_file_without_marks_may_be_repeated_as_it_is():
    answer = f"{CHANGED}### other\n{write_fence('was')}"
    assert read(answer, other="was\n") == PROGRAM.replace("3", "4")


@pytest.mark.parametrize("name", ["diff", "rewrite"])
def test_the_prompt_lists_files_without_marks_as_read_only(desk, name):
    at = desk("sorry")
    at.rejection(name, at.trial(1, {"program.py": PROGRAM, "helpers/geometry.py": "PI = 3\n"}))
    assert "The files are `program.py`." in at.prompt
    assert "Read-only, because there are no such marks in them: `helpers/geometry.py`." in at.prompt


def test_an_edit_outside_of_the_marks_is_refused_with_its_file_where_there_are_several(desk):
    answer = edit("import math", "import os")
    assert "block 1 (main) changes text outside" in refused(answer, other="# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n")


def test_a_new_file_is_refused_where_there_are_marks():
    answer = f"### main\n{write_fence(PROGRAM.replace('3', '4'))}\n### new.py\n{write_fence('x')}"
    with pytest.raises(CandidateRejected, match=r"new.py is a new file"):
        read_answer(LlmAnswer(text=answer, model="m"), AnswerBase({"main": PROGRAM}), AnswerRules(new_files=True))


# -- all operators ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rewrite", "crossover", "repair"])
def test_the_outside_of_the_first_parent_is_kept_by_every_operator(desk, name):
    at = desk(write_fence(PROGRAM.replace("LIMIT = 3", "LIMIT = 9").replace("import math", "import os")))
    parents = (at.trial(3, PROGRAM), at.trial(4, PROGRAM.replace("import math", "import sys")))
    failed = [{"draft": "sorry", "reason": "no code"}] if name == "repair" else []
    child = at.mutate(name, *parents, failed=failed)
    assert child.source == PROGRAM.replace("LIMIT = 3", "LIMIT = 9")
    assert "Only the text between" in at.prompt


def test_a_fresh_program_is_laid_into_the_frame_of_the_seed(desk):
    answer = PROGRAM.replace("return x", "return 5").replace("import math", "import os")
    at = desk(write_fence(answer), problem={"seeds": ({"main": "plain = 1\n"}, {"main": PROGRAM})})
    assert at.mutate("fresh").source == PROGRAM.replace("return x", "return 5")
    assert empty_blocks({"main": PROGRAM})["main"] in at.prompt
    assert "LIMIT = 3" not in at.prompt


def test_a_fresh_program_that_leaves_the_frame_empty_is_rejected(desk):
    at = desk(write_fence(empty_blocks({"main": PROGRAM})["main"]), problem={"seeds": ({"main": PROGRAM},)})
    assert "nothing stands between" in at.rejection("fresh").reason


def test_a_program_without_marks_may_change_everywhere():
    assert not is_marked({"main": "x = 1\n"})
    assert read(write_fence("y = 2"), "x = 1\n") == "y = 2\n"
