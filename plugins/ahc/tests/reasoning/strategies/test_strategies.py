"""Strategies: from the library and past contests, by a model and by rules."""

import json

import pytest

from evograft_ahc.contests.past import Contest, SolutionApproach, load_packaged_contests
from evograft_ahc.contests.practice import get_practice
from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.library.blocks import load_library
from evograft_ahc.reasoning.problem_analysis import analyze_statement
from evograft_ahc.reasoning.prompts.templates import load_prompts
from evograft_ahc.reasoning.strategies.knowledge_sources import MOST_CODE, KnowledgeSources
from evograft_ahc.reasoning.strategies.rules import choose_by_rules, load_known_approaches
from evograft_ahc.reasoning.strategies.similar_contests import find_similar_contests
from evograft_ahc.reasoning.strategies.strategist import choose_strategies
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.reasoning.structured_answer import StructuredQuery
from evograft_hookspecs import LlmAnswer

LIBRARY = load_library()
CONTESTS = {contest.contest_id: contest for contest in load_packaged_contests()}
CONSULTED = KnowledgeSources(LIBRARY, CONTESTS)
STATEMENT = get_practice("practice001").statement("en")
TASK = ContestTask(
    contest_id="practice001",
    interactive=False,
    direction="max",
    time_limit_seconds=2.0,
    memory_limit_mb=1024,
    end_source="practice",
    scorer=Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)"),
)


class NoModel:
    available = False


class Scripted:
    available = True

    def __init__(self, *answers):
        self.answers = list(answers)
        self.prompts = []

    def complete(self, request):
        self.prompts.append(request.messages[0].content)
        return LlmAnswer(text=self.answers.pop(0), model="scripted")


def chosen(llm=NoModel, language="en"):
    prompts = load_prompts(language)
    query = StructuredQuery(llm, prompts["again"], max_tokens=4096)
    nobody = StructuredQuery(NoModel, prompts["again"], max_tokens=4096)
    analysis = analyze_statement(STATEMENT, TASK, query=nobody, prompts=prompts, path="problem.md")
    return choose_strategies(
        analysis, STATEMENT, query=query, prompts=prompts, knowledge=CONSULTED, interactive=False, language=language
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_without_a_model_several_strategies_cite_blocks_and_contests(language):
    strategies = chosen(language=language)
    assert len(strategies) == 4
    assert len({strategy.id for strategy in strategies}) == 4
    for strategy in strategies:
        assert strategy.description
        assert set(strategy.sources) <= CONSULTED.names
        assert set(strategy.sources) & set(LIBRARY)
    assert set(strategies[0].sources) & set(CONTESTS)
    assert ("焼きなまし法" if language == "ja" else "Simulated Annealing") == strategies[0].title


def test_an_interactive_problem_gets_other_strategies_than_an_ordinary_one():
    similar = find_similar_contests(("interactive", "estimation"), CONTESTS.values())
    titles = [each.title for each in choose_by_rules(similar, CONSULTED, interactive=True, language="en")]
    assert "Bayesian Inference" in titles
    assert {"ahc018", "ahc040"} <= {each.contest.contest_id for each in similar}


def test_where_no_contest_is_alike_the_usual_strategies_are_tried():
    strategies = choose_by_rules((), CONSULTED, interactive=False, language="en")
    assert strategies[0].title == "Simulated Annealing"
    assert len(strategies) == 4


def test_a_rare_tag_says_more_than_a_common_one():
    def contest(name, *tags):
        return Contest(contest_id=name, tags=tags, solution_approaches=(SolutionApproach(algorithms_used=("Greedy",)),))

    contests = [
        contest("a", "grid"),
        contest("b", "grid"),
        contest("c", "snake"),
        Contest(contest_id="d", tags=("snake",)),
    ]
    assert [each.contest.contest_id for each in find_similar_contests(("Grid", "snake"), contests)] == ["c", "a", "b"]


def test_every_approach_that_is_described_names_blocks_that_exist_and_contests_that_used_it():
    used = {
        name for contest in CONTESTS.values() for each in contest.solution_approaches for name in each.algorithms_used
    }
    for known in load_known_approaches().values():
        assert set(known.blocks) <= set(LIBRARY)
        assert known.algorithm in used


def test_a_model_chooses_and_what_it_cites_in_vain_is_dropped():
    strategy = {
        "title": "Anneal the trips",
        "description": "Move huts.",
        "sources": ["simulated_annealing", "ahc006", "quantum_annealing", "ahc999", "../../etc/passwd", "ahc006"],
    }
    llm = Scripted("Gladly:\n" + json.dumps({"strategies": [strategy, strategy, {"title": "Beam"}]}))
    strategies = chosen(llm)
    assert [each.title for each in strategies] == ["Anneal the trips", "Beam"]
    assert strategies[0].sources == ("simulated_annealing", "ahc006")
    for shown in (
        "porters carry up",
        "- dijkstra: ",
        "- ahc006 ",
        '"tsp"',
    ):
        assert shown in llm.prompts[0]


def test_answers_of_no_use_leave_the_choice_to_the_rules():
    assert chosen(Scripted('{"strategies": []}', '{"strategies": "all"}')) == chosen()


def test_the_conversation_shows_strategies_with_their_sources():
    strategies = chosen()
    offered = [each.to_contract() for each in strategies]
    assert all(each.sources for each in offered)
    assert [(each.title, each.sources) for each in offered] == [(s.title, s.sources) for s in strategies]


def test_ids_of_advice_are_stable_and_follow_the_title():
    one, other = ContestStrategy(title="Beam", description="wide"), ContestStrategy(title="Beam", description="narrow")
    assert one.id == other.id
    assert ContestStrategy(title="ビームサーチ").id != one.id
    text = one.citing(()).advice(load_prompts("en")).text
    assert "Beam" in text
    assert "wide" in text


def test_code_of_blocks_is_shown_as_far_as_it_fits():
    codes = CONSULTED.code_of(("tsp_local_search", "ahc006", "beam_search_euler", "xorshift"))
    assert sum(map(len, codes.values())) <= MOST_CODE
    assert codes["tsp_local_search"] == LIBRARY["tsp_local_search"].code
    assert "ahc006" not in codes


def test_every_block_and_contest_has_a_line_to_answer_questions_from():
    entries = CONSULTED.entries("en")
    assert set(entries) == CONSULTED.names
    assert "Monte Carlo" in entries["ahc015"]
    assert "library block dijkstra" in entries["dijkstra"]
    assert "最短" in CONSULTED.entries("ja")["dijkstra"]
