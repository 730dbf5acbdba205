"""What is offered for a trial: instructions that say nothing twice, and advice."""

import random
from types import SimpleNamespace

import pytest

from evograft_ahc.contests.past import load_packaged_contests
from evograft_ahc.contests.practice import get_practice
from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.judge import JudgeFacts
from evograft_ahc.library.blocks import load_library
from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis, analyze_problem, read_input_heads
from evograft_ahc.reasoning.prompts.agent_share import add_agent
from evograft_ahc.reasoning.prompts.excerpts import extract_difference, find_excerpts, reads_clock
from evograft_ahc.reasoning.prompts.observations import JudgedCases
from evograft_ahc.reasoning.prompts.pointers import point_at_parts
from evograft_ahc.reasoning.prompts.proposals import OTHER, PROFILES, ReasoningSetup, build_advice, offer_proposals
from evograft_ahc.reasoning.prompts.templates import load_prompts
from evograft_ahc.reasoning.strategies.knowledge_sources import KnowledgeSources
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.reasoning.strategy_choice import find_chosen_strategies
from evograft_ahc.reasoning.structured_answer import StructuredQuery
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Advice, Candidate, Evaluation, Problem, Proposal, Selection, Trial
from evograft_operators.models.proposal_data import find_temperature
from evograft_operators.offer import PROFILES as USUAL

START = get_practice("practice001").start_program()
CONSULTED = KnowledgeSources(load_library(), {contest.contest_id: contest for contest in load_packaged_contests()})
ANNEAL = ContestStrategy(title="Anneal", description="Move huts.", sources=("simulated_annealing", "ahc006"))
BEAM = ContestStrategy(title="Beam", description="Hut by hut.", sources=("beam_search", "ahc021"))
TIMED = START.replace(
    "#include <cmath>", "#include <cmath>\n#include <chrono>\nusing Clock = std::chrono::steady_clock;"
)

JUDGED = JudgedCases(
    SimpleNamespace(input_of=lambda _case: None, output_of=lambda _source, _case: None),
    JudgeFacts(version="g++ 14", command="g++", libraries=(), missing=()),
    count=2,
)


class History:
    def __init__(self, *trials):
        self.trials = {trial.number: trial for trial in trials}

    def trial(self, number):
        return self.trials[number]

    def latest(self, count):
        return tuple(self.trials.values())[-count:]


def trial_of(number, source, *, time_used=0.0, advice=(), feedback="0007 is weakest", cases=None, parents=()):
    candidate = Candidate.of(source, kind="cpp", operator="kernel.seed", trial=number, parents=parents)
    evaluation = Evaluation(
        status="ok", score=1.0, feedback=feedback, descriptors={"time_used": time_used}, cases=cases or {}
    )
    proposal = Proposal(id="p", operator="operators.diff", advice=advice) if advice else None
    return Trial(number=number, view=0, proposal=proposal, candidate=candidate, evaluation=evaluation)


def problem_analysis(tmp_path, *strategies, **changes):
    statement = get_practice("practice001").statement("en")
    scorer = Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)")
    facts = {"contest_id": "c", "interactive": False, "direction": "max", "end_source": "practice", "scorer": scorer}
    task = ContestTask(**facts | {"time_limit_seconds": 2.0, "memory_limit_mb": 1024} | changes)
    prompts = load_prompts("en")
    nobody = StructuredQuery(SimpleNamespace(available=False), prompts["again"], max_tokens=4096)
    found = analyze_problem(
        task, statement, path="problem.md", query=nobody, prompts=prompts, knowledge=CONSULTED, language="en"
    )
    return found.model_copy(update={"strategies": strategies}) if strategies else found


@pytest.fixture
def offered(tmp_path):
    """`offered(trial, …)`: what is offered for these parents, by id without temperature."""

    def get(
        *parents,
        strategy="",
        temperature=0.3,
        seed=1,
        setup=None,
        language="en",
        known=(),
        inputs=None,
        judged=None,
        instructions=(),
        **changes,
    ):
        analysis = problem_analysis(tmp_path, ANNEAL, BEAM, **changes).model_dump(mode="json") | {
            "inputs": inputs or {},
            "other": 1,
            **ReferenceFrame(references=References(), direction="max", case_order=0).entry(),
        }
        problem = Problem(name="c", statement="s", kind="cpp", language="cpp", objective="o", analysis=analysis)
        context = SimpleNamespace(
            llm=SimpleNamespace(available=True),
            problem=problem,
            history=History(*parents, *known),
            instructions=instructions,
            rng=random.Random(seed),
            trial=9,
        )
        selection = Selection(
            parents=tuple(each.number for each in parents), strategy=strategy, temperature=temperature
        )
        return offer_proposals(context, selection, setup or ReasoningSetup(load_prompts(language), CONSULTED), judged)

    return get


def proposals(offers):
    return {each.id.partition("@")[0]: each for each in offers if isinstance(each, Proposal)}


def advice(offers):
    return {each.id: each.text for each in offers if isinstance(each, Advice)}


def test_a_program_is_changed_sped_up_attacked_and_led_by_strategies(offered):
    found = proposals(offered(trial_of(3, START)))
    (followed,) = (name for name in found if name.startswith("ahc.follow_"))
    (started,) = (name for name in found if name.startswith("ahc.start_over_"))
    operators = {name: each.operator.partition(".")[2] for name, each in found.items()}
    assert operators == {
        "ahc.mutation_1": "diff",
        "ahc.mutation_2": "diff",
        "ahc.use_time": "diff",
        "ahc.weakness": "diff",
        followed: "rewrite",
        started: "fresh",
    }


def test_two_parents_are_joined_by_what_they_differ_in(offered):
    other = START.replace("return total + (PORTER + load) * effort[at][0];", "return 1.5 * total;")
    instruction = proposals(offered(trial_of(3, START), trial_of(4, other)))["ahc.crossover_1"].instruction
    first, second = instruction.split("Solution B:")
    assert "return total + (PORTER + load)" in first
    assert "return 1.5 * total;" in second
    assert "void read_input()" not in instruction


@pytest.mark.parametrize(("score", "is_joined"), [(3.0, True), (1.0, False)])
def test_a_parent_is_joined_with_one_that_is_better_on_some_case_alone(offered, score, is_joined):
    one = trial_of(3, START, cases={"0000": 2.0, "0001": 2.0})
    other = trial_of(4, TIMED, cases={"0000": 1.0, "0001": score})
    found = proposals(offered(one, other, strategy="combine", judged=JUDGED))
    assert ("ahc.crossover_1" in found) == is_joined
    assert "ahc.use_time" in found


def test_ancestors_that_many_share_are_looked_at_once(offered):
    known = [trial_of(number, START, parents=(number - 1, number - 2) if number > 1 else ()) for number in range(60)]
    alone = trial_of(60, START, cases={"0": 20.0, "1": 20.0})
    newest = trial_of(61, START, cases={"0": 10.0, "1": 30.0}, parents=(59, 58))
    oldest = known[1].model_copy(update={"evaluation": alone.evaluation})
    assert "ahc.crossover_1" in proposals(offered(alone, newest, known=known, strategy="combine", judged=JUDGED))
    assert "ahc.crossover_1" not in proposals(
        offered(oldest, newest, known=[*known[2:], *known[:1]], strategy="combine", judged=JUDGED)
    )


def test_a_program_is_not_joined_with_one_that_it_was_made_from(offered):
    oldest = trial_of(2, START, cases={"0": 10.0, "1": 30.0})
    between = trial_of(3, START, parents=(2,))
    newest = trial_of(5, START, cases={"0": 20.0, "1": 20.0}, parents=(3,))
    beside = trial_of(4, START, cases={"0": 10.0, "1": 30.0}, parents=(2,))
    assert "ahc.crossover_1" not in proposals(
        offered(newest, oldest, known=(between,), strategy="combine", judged=JUDGED)
    )
    assert "ahc.crossover_1" not in proposals(
        offered(oldest, newest, known=(between,), strategy="combine", judged=JUDGED)
    )
    assert "ahc.crossover_1" in proposals(
        offered(newest, beside, known=(between, oldest), strategy="combine", judged=JUDGED)
    )


@pytest.mark.parametrize(
    ("source", "time_used", "is_idle"), [(START, 0.0, True), (START, 0.25, False), (TIMED, 0.0, False)]
)
def test_a_program_that_takes_next_to_no_time_is_told_to_use_it_and_not_to_do_less(offered, source, time_used, is_idle):
    found = proposals(offered(trial_of(3, source, time_used=time_used, cases={"0000": 2.0}), judged=JUDGED))
    lessening = {"ahc.mutation_1", "ahc.mutation_2", "ahc.marks"} & set(found)
    assert bool(lessening) != is_idle
    weight = found["ahc.use_time" if source == START else "ahc.speed_up"].weight
    assert weight == pytest.approx(OTHER["use_time" if source == START else "speed_up"] * (3 if is_idle else 1))


@pytest.mark.parametrize(
    ("source", "time_used", "expected"), [(START, 0.0, "use_time"), (START, 0.5, "speed_up"), (TIMED, 0.0, "speed_up")]
)
def test_speed_is_asked_for_where_time_is_used_and_more_search_where_it_is_left(offered, source, time_used, expected):
    found = proposals(offered(trial_of(3, source, time_used=time_used)))
    assert {name for name in ("use_time", "speed_up") if f"ahc.{name}" in found} == {expected}


def test_instructions_do_not_repeat_the_program_the_strategy_or_the_feedback(offered):
    offers = offered(trial_of(3, START, feedback="0007 is weakest"), trial_of(4, START + "\n// more\n"))
    for each in proposals(offers).values():
        assert START not in each.instruction
        assert "is weakest" not in each.instruction
        assert "Move huts." not in each.instruction
    assert "Move huts." in advice(offers)[ANNEAL.id]


def test_code_of_cited_blocks_stands_in_the_proposals_of_the_drawn_strategy_only(offered):
    annealer = "class Annealer"
    offers = [offered(trial_of(3, START), seed=seed) for seed in range(8)]
    drawn = [{name for name, each in proposals(found).items() if annealer in each.instruction} for found in offers]
    short = ANNEAL.id.rpartition(".")[2]
    assert {frozenset(names) for names in drawn} == {
        frozenset(),
        frozenset({f"ahc.follow_{short}", f"ahc.start_over_{short}"}),
    }
    assert not any(annealer in text for found in offers for text in advice(found).values())


def test_advice_has_the_limits_and_every_strategy_with_its_sources(offered):
    found = advice(offered(trial_of(3, START)))
    assert list(found) == ["ahc.craft", ANNEAL.id, BEAM.id]
    assert "at most 2 s a case" in found["ahc.craft"]
    assert "simulated_annealing, ahc006" in found[ANNEAL.id]
    assert "flush" not in found["ahc.craft"]
    assert "flush" in advice(offered(trial_of(3, START), interactive=True))["ahc.craft"]


def test_cases_can_be_told_apart_where_weakness_is_looked_for(offered):
    found = proposals(offered(trial_of(3, START), inputs={"0001": "137 113 6", "0000": "82 52 5"}))
    assert [name for name, each in found.items() if "137 113 6" in each.instruction] == ["ahc.weakness"]
    assert "```\n0000: 82 52 5\n0001: 137 113 6\n```" in found["ahc.weakness"].instruction


@pytest.mark.parametrize(("interactive", "expected"), [(False, {"0000": "3 4", "0001": "x" * 80}), (True, {})])
def test_only_the_first_lines_of_inputs_are_read_and_none_of_what_is_hidden(tmp_path, interactive, expected):
    (tmp_path / "0000.txt").write_text("3 4\n5 6\n")
    (tmp_path / "0001.txt").write_bytes(b"x" * 100_000)
    task = SimpleNamespace(interactive=interactive)
    workspace = SimpleNamespace(task=task, input=lambda case: tmp_path / f"{case}.txt")
    assert read_input_heads(workspace, ("0000", "0001")) == expected


def test_lessons_of_earlier_sessions_are_told(tmp_path):
    lesson = Advice(id="ahc.lesson.0", text="Swapping pairs gained 3 %.")
    found = problem_analysis(tmp_path, BEAM).model_copy(update={"lessons": (lesson,)})
    again = ProblemAnalysis.within(found.model_dump(mode="json"))
    assert lesson in build_advice(again, (), load_prompts("en"))


def test_without_parents_a_strategy_is_started_from_nothing(offered):
    for strategy in ("refine", "novel", ""):
        (only,) = proposals(offered(strategy=strategy)).values()
        assert only.operator == "operators.fresh"
        assert only.weight > 0


def test_the_strategy_of_the_selection_weighs(offered):
    parents = trial_of(3, START), trial_of(4, TIMED)
    combined, refined = (proposals(offered(*parents, strategy=name)) for name in ("combine", "refine"))
    assert max(combined, key=lambda name: combined[name].weight) == "ahc.crossover_1"
    assert refined["ahc.crossover_1"].weight < refined["ahc.mutation_1"].weight
    assert set(PROFILES) <= set(USUAL)


def test_the_temperature_reaches_the_operator(offered):
    for each in proposals(offered(trial_of(3, START), temperature=0.7)).values():
        assert find_temperature(each, (0.0, 1.0)) == 0.7


def test_ids_are_unique_and_equal_generators_give_equal_offers(offered):
    one, other = (offered(trial_of(3, START), trial_of(4, TIMED), seed=5) for _ in range(2))
    assert one == other
    assert len({each.id for each in one}) == len(one)


def test_prompts_of_the_user_take_the_place_of_those_of_the_language(offered):
    own = ("Speed {function_code} up; {not_ours} and {} stay.", "Mend\n{code_snippet}")
    setup = ReasoningSetup(load_prompts("en"), CONSULTED, mutations=own, crossovers=("A {code_A} B {code_B}",))
    found = proposals(offered(trial_of(3, START), trial_of(4, TIMED), setup=setup))
    assert found["ahc.mutation_1"].instruction.startswith("Speed ")
    assert found["ahc.mutation_1"].instruction.endswith("up; {not_ours} and {} stay.")
    assert found["ahc.mutation_2"].instruction.startswith("Mend\nfor (")
    assert found["ahc.crossover_1"].instruction.startswith("A ")


def test_instructions_and_advice_are_in_the_users_language(offered):
    offers = offered(trial_of(3, START), language="ja")
    assert "弱点" in proposals(offers)["ahc.weakness"].instruction
    assert "2 秒以内" in advice(offers)["ahc.craft"]


def test_without_a_model_nothing_is_offered():
    context = SimpleNamespace(llm=SimpleNamespace(available=False), problem=None)
    assert offer_proposals(context, Selection(), ReasoningSetup(load_prompts("en"), CONSULTED)) == ()


def test_strategies_that_a_person_left_out_are_not_followed(offered):
    told = Advice(id="tell-0", text="follow", strategies=("Beam: Hut by hut.", "start greedily"))
    offers = offered(trial_of(3, START), instructions=(told,))
    assert ANNEAL.id not in advice(offers)
    assert BEAM.id in advice(offers)
    other = Advice(id="tell-0", text="prefer integers")
    assert find_chosen_strategies((ANNEAL, BEAM), [other]) == (ANNEAL, BEAM)


@pytest.mark.parametrize(
    ("choice", "expected"),
    {
        ("Beam: Hut by hut.",): ["Beam"],
        ("Anneal: Move huts.", "Beam"): ["Anneal", "Beam"],
        ("annealing without any Beam",): [],
        ("Beam of width 50",): [],
        ("Anneal: Move huts, not as a Beam: would",): ["Anneal"],
    }.items(),
)
def test_a_strategy_is_chosen_by_its_title_and_not_by_a_word_about_it(choice, expected):
    told = Advice(id="tell-0", text="follow", strategies=choice)
    left = find_chosen_strategies((ANNEAL, BEAM), [told])
    assert [each.title for each in left] == expected


# -- excerpts ---------------------------------------------------------------------------------------------------------


def test_functions_and_outermost_loops_are_found():
    found = find_excerpts(START)
    assert {"double energy(const Trip& trip) {", "void improve(std::vector<Trip>& trips) {"} <= {
        each.text.splitlines()[0] for each in found.functions
    }
    assert any("for (int step = 0; step < STEPS; ++step) {" in each.text.splitlines()[0] for each in found.loops)
    assert not any(each.text.startswith("while (true)") for each in found.loops)


def test_a_long_looping_function_is_drawn_more_often_than_a_short_one():
    rng = random.Random(0)
    drawn = [find_excerpts(START).draw_function(rng).text for _ in range(300)]
    assert sum("void improve" in text for text in drawn) > 2 * sum("int main" in text for text in drawn)


def test_instructions_point_at_what_computes_and_not_at_what_reads_or_prints():
    prompts = load_prompts("en")
    texts = [text for seed in range(60) for text in point_at_parts(random.Random(seed), START, prompts)]
    assert any("void improve" in text for text in texts)
    assert not any("int main" in text or "read_input" in text for text in texts)
    assert list(point_at_parts(random.Random(0), "int main() {\n  int n;\n  std::cin >> n;\n}\n", prompts))


PREPARING = """\
void read_input() {
    std::cin >> n;
    for (int i = 0; i < n; ++i) {
        table[i] = i * i;
    }
}
int main() {
    read_input();
    for (int step = 0; step < 100; ++step) {
        improve(step);
    }
    std::cout << best;
}
"""


def test_what_a_function_prepares_that_reads_is_not_pointed_at_and_a_loop_is_named_by_its_function():
    prompts = load_prompts("en")
    loops = {next(point_at_parts(random.Random(seed), PREPARING, prompts)) for seed in range(20)}
    (told,) = loops
    assert "for (int step = 0; step < 100; ++step) {" in told
    assert "That part stands in the function `int main()`." in told
    long = PREPARING.replace("read_input();", "read_input();\n" + "    // why\n" * 1000)
    assert "That part stands in the function `int main()`." in next(point_at_parts(random.Random(0), long, prompts))
    reader = PREPARING[: PREPARING.index("int main")]
    assert "table[i]" not in told
    assert "for (int i = 0; i < n; ++i) {" in next(point_at_parts(random.Random(0), reader, prompts)), "all there is"


def test_a_search_by_the_clock_is_pointed_at_also_where_its_function_reads_the_input():
    program = """\
int helper(int x) {
    for (int i = 0; i < 3; ++i) {
        x += i;
    }
    return x;
}
void solve(int n,
           int k) {
    std::cin >> n;
    while (std::chrono::steady_clock::now() < end) {
        move();
        undo();
        move();
    }
}
int main() { solve(1, 2); }
"""
    prompts = load_prompts("en")
    told = [next(point_at_parts(random.Random(seed), program, prompts)) for seed in range(20)]
    assert any("while (std::chrono" in each and "`void solve(int n, int k)`" in each for each in told)


def test_an_agent_has_its_share_of_all_weight():
    others = tuple(
        Proposal(id=name, operator="operators.diff", weight=weight) for name, weight in (("a", 3.0), ("b", 1))
    )
    assert add_agent(others, 0.0, "") == others
    assert [each.weight for each in add_agent(others, 0.25, "work")] == [2.25, 0.75, 1.0]
    (alone,) = add_agent(others, 1.0, "work")
    assert (alone.operator, alone.instruction, alone.weight) == ("operators.agent", "work", 4.0)


def test_only_what_is_between_marks_is_pointed_at():
    marked = START.replace("// What a trip costs", "// EVOLVE-BLOCK-START\n// What a trip costs").replace(
        "void read_input() {", "// EVOLVE-BLOCK-END\nvoid read_input() {"
    )
    (only,) = find_excerpts(marked).functions
    assert only.text.startswith("double energy")


def test_a_loop_is_shown_without_the_indentation_of_its_place():
    text = "void f() {\n    for (int i = 0; i < 9; ++i) {\n        g(i);\n    }\n}\n"
    assert find_excerpts(text).loops[0].text == "for (int i = 0; i < 9; ++i) {\n    g(i);\n}"


@pytest.mark.parametrize(
    "source", ["", "this is no program", "int main( {{{", "void f() {" * 20_000, "\N{HIRAGANA LETTER A}" * 9]
)
def test_what_is_no_program_has_no_parts_and_does_no_harm(source):
    assert find_excerpts(source).draw_function(random.Random(0)) is None
    assert extract_difference(source, START) == source[:6000]


def test_watching_the_clock_is_told_from_counting():
    assert reads_clock(TIMED)
    assert not reads_clock(START)
    assert not reads_clock("int o_clock_hand;")


# -- thoughts ---------------------------------------------------------------------------------------------------------


def test_thoughts_survive_the_log(tmp_path):
    found = problem_analysis(tmp_path)
    problem = Problem(
        name="c", statement="s", kind="cpp", objective="o", analysis=found.model_dump(mode="json") | {"x": 1}
    )
    again = Problem.model_validate_json(problem.model_dump_json())
    assert ProblemAnalysis.within(again.analysis) == found
    assert found.statement.time_limit_ms == 2000
    assert len(found.strategies) == 4
    assert "ahc015" in found.library


@pytest.mark.parametrize("strategy", ["refine", "combine", "novel", "stuck"])
def test_prompts_of_the_user_are_the_only_ones_that_change_or_join_programs(offered, strategy):
    parents = (trial_of(3, START), trial_of(4, TIMED))
    own = ReasoningSetup(
        load_prompts("en"),
        CONSULTED,
        mutations=("A {code_snippet}", "B {code_snippet}"),
        crossovers=("C {code_A}{code_B}",),
    )
    found = proposals(offered(*parents, strategy=strategy, setup=own))
    kinds = {name.removeprefix("ahc.").partition("_")[0] for name in found}
    assert kinds <= {"mutation", "crossover", "start"}
    assert {"ahc.mutation_1", "ahc.mutation_2", "ahc.crossover_1"} <= set(found)
    # They have the weight of all that they stand for, the plugin `operators`' own included.
    profile = {**PROFILES.get(strategy, OTHER), "start_over": 0.0}
    theirs = USUAL.get(strategy, USUAL["other"])
    replaced = sum(profile.values()) + sum(theirs.get(name, 0.0) for name in ("diff", "rewrite", "crossover"))
    weight = sum(each.weight for name, each in found.items() if "start_over" not in name)
    assert weight == pytest.approx(replaced)
