"""What sessions have shown is found again by later ones."""

import json

import pytest
from click.testing import CliRunner

from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_ahc.commands.knowledge import knowledge
from evograft_ahc.knowledge.collection import collect_lessons
from evograft_ahc.knowledge.lesson import Lesson, ModelUse, SessionLessons
from evograft_ahc.knowledge.reminders import find_known_lessons, load_earlier_programs
from evograft_ahc.knowledge.store import open_knowledge_base
from evograft_ahc.settings.model import get_user_folder
from evograft_ahc.text.messages import ContestServiceError, ContestUserError


@pytest.fixture
def learnt(book):
    """The lessons of a session in which a model made the start program better twice."""
    book.problem(seeds=({"main": "int main() {}\n"},))
    asked = {"model": "dear", "operator": "operators.rewrite"}
    book.trial(100.0, files="int main() { }\n")
    book.trial(90.0, files="worse\n", proposal={"id": "ahc.mutation@0.2", "instruction": "Bad idea"}, **asked)
    better = {"id": "ahc.weakness@0.2", "instruction": "Attack the weakness of seed 3"}
    book.call(2)
    book.trial(110.0, files="int main() { anneal(); }\n", proposal=better, **asked)
    better = {"id": "ahc.weakness@0.9", "instruction": "Attack the weakness of seed 7"}
    book.call(3)
    book.trial(220.0, files="int main() { 焼きなまし(); anneal(2); }\n", proposal=better, **asked)
    with open_journal(book.path) as journal:
        return collect_lessons(open_run(book.path), journal, "practice001")


def test_changes_that_gained_most_come_first(learnt):
    fragments = [lesson for lesson in learnt.lessons if lesson.kind == "fragment"]
    assert [lesson.gain for lesson in fragments] == [1.0, 0.1]
    assert "+int main() { 焼きなまし(); anneal(2); }" in fragments[0].text
    assert fragments[0].title == "rewrite_llm"


def test_an_instruction_counts_once_however_often_it_was_given(learnt):
    (prompt,) = [lesson for lesson in learnt.lessons if lesson.kind == "prompt"]
    assert prompt.title == "ahc.weakness, 2 times"
    assert prompt.text == "Attack the weakness of seed 7"
    assert prompt.gain == pytest.approx(1.1)


def test_a_model_is_told_with_its_cost_and_how_often_it_helped(learnt):
    (use,) = learnt.models
    assert (use.model, use.calls, use.prompt_tokens, use.improved) == ("dear", 2, 200, 2)
    assert use.dollars == pytest.approx(2 * (100 * 2 + 50 * 4) * 1e-6)


def test_what_an_operator_found_without_the_model_that_was_drawn_is_not_the_models(book):
    book.problem(seeds=({"main": "int main() {}\n"},))
    book.trial(100.0, files="int main() { }\n")
    book.call(1)
    book.trial(90.0, files="worse\n", model="dear", operator="operators.rewrite")
    book.trial(330.0, files="int main() { tuned(); }\n", model="dear", operator="ahc.tune")
    with open_journal(book.path) as journal:
        found = collect_lessons(open_run(book.path), journal, "practice001")
    assert [(use.model, use.calls, use.improved) for use in found.models] == [("dear", 1, 0)]
    assert [lesson.title for lesson in found.lessons if lesson.kind == "fragment"] == ["tune"]


def test_lessons_are_found_by_words_in_any_language(learnt):
    with open_knowledge_base() as base:
        base.put(learnt)
        assert len(base.search("anneal")) == 2
        assert len(base.search("ANNEAL 焼きなまし")) == 1
        assert len(base.search("焼き")) == 1
        assert base.search('anneal "; DROP') == []
        assert base.search("", kind="result", contest_id="ahc999") == []
        assert len(base.search("")) == len(learnt.lessons)


def test_a_session_that_went_on_is_known_once(learnt):
    with open_knowledge_base() as base:
        base.put(learnt)
        base.put(learnt)
        assert len(base.search("")) == len(learnt.lessons)
        assert [use.calls for use in base.models()] == [2]


def test_models_are_summed_over_sessions_and_an_unknown_price_stays_unknown():
    def session(number, dollars):
        use = ModelUse(model="m", calls=1, prompt_tokens=1, completion_tokens=1, dollars=dollars, improved=0)
        return SessionLessons(session_id=str(number), contest_id="c", lessons=(), models=(use,))

    with open_knowledge_base() as base:
        base.put(session(1, 0.5))
        base.put(session(2, 0.25))
        assert [use.dollars for use in base.models()] == [0.75]
        base.put(session(3, None))
        assert [(use.calls, use.dollars) for use in base.models()] == [(3, None)]


def test_the_next_session_is_reminded_of_results_and_changes_of_its_own_contest(learnt):
    assert find_known_lessons("practice001", "en") == ()
    with open_knowledge_base() as base:
        base.put(learnt)
    told = find_known_lessons("practice001", "en")
    assert find_known_lessons("practice002", "en") == ()
    assert "average" in told[0].text
    assert told[1].text.startswith("A change that made the best program better by 100.00%")
    assert len({advice.id for advice in told}) == len(told) == 3


def test_the_best_programs_of_earlier_sessions_are_told_once_each(tmp_path):
    for name, text in (("one", "int a;"), ("two", "int a;"), ("three", "int b;")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "best_solution.cpp").write_text(text)
    assert sorted(load_earlier_programs(tmp_path).values()) == ["int a;", "int b;"]


def test_a_file_that_is_no_database_is_named():
    get_user_folder().mkdir(parents=True, exist_ok=True)
    (get_user_folder() / "knowledge.sqlite").write_text("no database, whatever it is called\n" * 100)
    with pytest.raises(ContestServiceError, match=r"knowledge\.sqlite"), open_knowledge_base():
        pass


def test_the_command_lists_what_was_learnt(learnt):
    with open_knowledge_base() as base:
        base.put(learnt)
    found = json.loads(CliRunner().invoke(knowledge, ["search", "anneal", "--kind", "fragment", "--json"]).stdout)
    assert [Lesson(**each).gain for each in found] == [1.0, 0.1]
    said = CliRunner().invoke(knowledge, ["search", "weakness"]).stdout
    assert said.splitlines()[0] == "practice001/first  prompt: ahc.weakness, 2 times  +110.00%"
    assert "dear" in CliRunner().invoke(knowledge, ["models"]).stdout


def test_a_best_program_that_somebody_has_made_unreadable_is_named(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "best_solution.cpp").write_bytes(b"// \x83\x82\n")
    with pytest.raises(ContestUserError, match=r"best_solution\.cpp.*not UTF-8"):
        load_earlier_programs(tmp_path)
