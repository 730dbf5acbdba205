"""What a conversation shows and asks: findings in lines, questions with what they are about, a model's ideas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.cli.interactive.ideas import idea_in
from evograft.cli.interactive.outline import outline
from evograft.cli.interactive.questions import entries_about, request_for
from evograft_hookspecs import Candidate, Evaluation, Problem, Trial

LIBRARY = {
    "beam_search": "library block beam_search: keeps the best of each step",
    "dijkstra": "library block dijkstra: 最短経路を求める",
    "ahc015": "contest ahc015 [interactive]: Monte Carlo playouts of the candies",
    "ahc021": "contest ahc021 [sorting]: Beam Search over swaps",
}
PROBLEM = Problem(name="p", statement="Plan trips to huts.", kind="cpp", objective="energy saved", glossary=LIBRARY)


def trial(source="int main() {}", feedback="0007 is the weakest case"):
    candidate = Candidate.of(source, kind="cpp", operator="kernel.seed", trial=0)
    return Trial(
        number=0, view=0, candidate=candidate, evaluation=Evaluation(status="ok", score=1.0, feedback=feedback)
    )


def asked(question, problem=PROBLEM, best=None):
    return request_for(question, problem=problem, standing="trials 5", best=best or trial()).messages[-1].content


def test_a_question_comes_with_task_standing_best_program_and_its_feedback():
    prompt = asked("where is the best solution weak?")
    for part in ("Plan trips", "energy saved", "trials 5", "int main() {}", "0007 is the weakest", "where is the best"):
        assert part in prompt


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("could the beam search of ahc015 help here?", {"ahc015"}),
        ("最短経路は使えますか？", {"dijkstra"}),
        ("would beam search work?", {"beam_search", "ahc021"}),
        ("why?", set()),
    ],
)
def test_the_library_is_asked_for_what_a_question_names(question, first):
    found = entries_about(question, LIBRARY)
    assert {name for name, line in LIBRARY.items() if line in found[: len(first)]} == first
    assert all(line in asked(question) for line in found)


def test_a_run_without_a_library_a_problem_or_a_best_program_can_be_asked_about():
    bare = Problem(name="p", statement="s", kind="cpp", objective="o", analysis=[1, 2])
    assert "library says" not in asked("could beam search help?", problem=bare)
    assert "There is none yet." in request_for("how?", problem=None, standing="", best=None).messages[-1].content


def test_long_texts_are_cut_in_a_question():
    best = trial(source="x" * 100_000, feedback="y" * 100_000)
    assert len(asked("why?", problem=PROBLEM.model_copy(update={"statement": "z" * 100_000}), best=best)) < 20_000


def test_findings_are_told_in_lines_short_ones_in_one_and_many_are_counted():
    data = {
        "title": "Porters",
        "limits": {"N": {"min": 1, "max": 9, "unit": ""}, "C": {"max": "N"}},
        "tags": ["tsp", {"name": "x", "count": None}],
        "nothing": [],
        "many": dict.fromkeys(map(str, range(50)), 1),
    }
    assert list(outline(data)) == [
        "title: Porters",
        "limits",
        "  N: min 1, max 9",
        "  C: max N",
        'tags: ["tsp", {"name": "x"}]',
        "many: 50 entries",
    ]


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.dictionaries(st.text(), st.text()), max_size=20))
def test_no_finding_reaches_the_terminal_with_control_characters(data):
    lines = list(outline(data))
    assert not any(char in line for line in lines for char in "\x1b\n\r\x07\u202e")
    assert all(len(line) < 10_000 for line in lines)


@pytest.mark.parametrize(
    ("answer", "idea"),
    {
        "Move huts in pairs.\nIt saves work.\n\n```cpp\nint main() {}\n```": "Move huts in pairs. It saves work.",
        "<think>long\nthoughts</think>\nUse a heap.\n<<<<<<< SEARCH\na\n": "Use a heap.",
        "# Form\n": "",
        "```cpp\nint main() {}\n```\nThat was it.": "",
        "a\x1b[31mb": "a\N{SYMBOL FOR ESCAPE}[31mb",
        "": "",
    }.items(),
)
def test_an_idea_is_the_prose_before_the_code(answer, idea):
    assert idea_in(answer) == idea
