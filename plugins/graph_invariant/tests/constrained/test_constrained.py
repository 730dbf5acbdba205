"""When an island counts as dry, and what is done about it: the fold, the month's book, prompts and answers."""

from __future__ import annotations

import ast
import json
import threading
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft.llm.ledger import upper_bound
from evograft_graph_invariant.constrained.check import require_allowed
from evograft_graph_invariant.constrained.events import find_fallback_events
from evograft_graph_invariant.constrained.fallback_budget import FallbackBudget
from evograft_graph_invariant.constrained.generation import ConstrainedGeneration
from evograft_graph_invariant.constrained.ledger_file import MonthlyLedger, NotGranted
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.constrained.prompt import (
    build_request,
    extract_program,
    fill_advice,
    get_constraint,
    select_advice,
)
from evograft_graph_invariant.constrained.proposal_facts import CONSTRAINED, ProposalFacts
from evograft_graph_invariant.constrained.stagnation import StagnationTracker
from evograft_hookspecs import (
    Advice,
    Attempt,
    CandidateRejected,
    Evaluation,
    FrozenDict,
    Problem,
    Proposal,
    RunStarted,
    Selection,
    ToolCall,
    Trial,
)

STRATEGIES = ("refine", "combine", "refine", "novel")
NOVEL = 3
SIZE = 4
OPTIONS = FallbackOptions(model="costly")
PROBLEM = Problem(name="graph_invariant", statement="Find {{a}} $formula.", kind="python", objective="rho")


def trial(number, island, rho, *, proposal=None):
    return Trial(
        model=proposal.model if proposal else "",
        number=number,
        view=number,
        selection=Selection(island=island, strategy=STRATEGIES[island]),
        proposal=proposal,
        evaluation=Evaluation.rejected("no code")
        if rho is None
        else Evaluation(status="ok", score=abs(rho) - 1, metrics=FrozenDict({"train_rho": rho})),
    )


def trials_of(*generations):
    """Trials of whole generations, each given as the train ρ of its four islands."""
    return [
        trial(SIZE * i + island, island, rho) for i, rhos in enumerate(generations) for island, rho in enumerate(rhos)
    ]


def told(*generations, options=OPTIONS):
    tracker = StagnationTracker(options, SIZE)
    changes = [change for each in trials_of(*generations) for change in tracker.add(each)]
    return tracker, changes


DRY, WET = (None,) * SIZE, (0.5,) * SIZE


def test_five_dry_generations_constrain_an_island_and_four_do_not():
    tracker, changes = told(*[DRY] * 4)
    assert changes == []
    assert not tracker.get_island(0, "refine").is_constrained
    _, changes = told(*[DRY] * 5)
    assert [(each.generation, each.island, each.kind) for each in changes] == [
        (5, island, "constrained_on") for island in range(4)
    ]


def test_one_valid_candidate_in_between_begins_the_count_anew():
    _, changes = told(*[DRY] * 4, (0.5, None, None, None), *[DRY] * 4)
    assert {each.island for each in changes} == {1, 2, 3}


@pytest.mark.parametrize(("rho", "valid"), [(0.3, False), (0.31, True), (-0.31, True), (None, False)])
def test_valid_is_a_train_score_above_the_bar_whatever_its_sign(rho, valid):
    tracker, _ = told(*[DRY] * 5, (rho, *DRY[1:]))
    assert tracker.get_island(0, "refine").is_constrained is not valid


def test_a_constrained_island_is_free_with_the_very_trial_that_is_valid_again():
    tracker = StagnationTracker(OPTIONS, SIZE)
    for each in trials_of(*[DRY] * 5):
        tracker.add(each)
    (change,) = tracker.add(trial(20, 1, 0.9))
    assert (change.kind, change.island, change.generation) == ("constrained_off", 1, 6)
    assert not tracker.get_island(1, "combine").is_constrained
    assert tracker.get_island(0, "refine").is_constrained


def test_where_the_pipeline_names_no_model_what_came_without_one_does_not_count_once_one_was_called():
    def row(number, island, rho, model):
        proposal = Proposal(id="p", operator="lab.write")
        return trial(number, island, rho, proposal=proposal).model_copy(update={"model": model})

    tracker, changes = StagnationTracker(OPTIONS, SIZE), []
    for generation in range(5):
        # An addition finds something valid on the first island, before and next to what the model writes in vain.
        rows = [(0, 0.5, ""), (0, None, "person"), (1, None, "person"), (2, 0.5, "")]
        for index, (island, rho, model) in enumerate(rows):
            changes += tracker.add(row(generation * SIZE + index, island, rho, model))
    assert [(each.generation, each.island, each.kind) for each in changes] == [
        (5, island, "constrained_on") for island in (0, 1)
    ]
    assert not tracker.get_island(2, "refine").is_constrained, "nobody has asked a model there"


def test_only_the_novel_island_uses_the_model_after_three_more_dry_generations_for_one_and_three_times():
    tracker = StagnationTracker(OPTIONS, SIZE)
    uses = {island: [] for island in range(SIZE)}
    for generation in range(40):
        for each in trials_of(DRY):
            tracker.add(each.model_copy(update={"number": generation * SIZE + each.number}))
        for island, found in uses.items():
            found.append(tracker.get_island(island, STRATEGIES[island]).use)
    assert all(not any(uses[island]) for island in range(NOVEL))
    due = [(generation + 2, use) for generation, use in enumerate(uses[NOVEL]) if use]
    assert due == [(9, 1), (13, 2), (17, 3)], "generation of the use; five dry, three constrained, then three between"
    assert tracker.get_island(NOVEL, "novel").is_constrained, "an island that stays dry stays constrained"


def folded(outcomes):
    """Dry generations on the novel island; `outcomes` are the models of the trials of its uses, one after another."""
    tracker, uses, outcomes = StagnationTracker(OPTIONS, SIZE), [], list(outcomes)
    for generation in range(60):
        for each in trials_of(DRY):
            use = tracker.get_island(NOVEL, "novel").use
            proposal, model = None, "local"
            if use and each.selection.island == NOVEL:
                uses.append(use)
                model = outcomes.pop(0) if outcomes else "costly"
                proposal = Proposal(
                    id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(use, 1.2).to_data(), model=model
                )
            number = generation * SIZE + each.number
            tracker.add(each.model_copy(update={"number": number, "proposal": proposal, "model": model}))
    return uses


@given(st.lists(st.sampled_from(["local", "costly"]), max_size=8))
def test_a_use_that_was_refused_is_none_of_the_three(outcomes):
    uses = folded(outcomes)
    granted = [use for use, model in zip(uses, [*outcomes, *["costly"] * 60], strict=False) if model == "costly"]
    assert granted == [1, 2, 3]


def test_without_a_fallback_model_the_novel_island_only_stays_constrained():
    tracker, _ = told(*[DRY] * 30, options=FallbackOptions())
    assert tracker.uses == 0


def test_an_island_that_is_free_again_does_not_use_the_model_any_more():
    tracker, changes = told(*[DRY] * 8, WET)
    assert [each.kind for each in changes].count("constrained_off") == SIZE
    assert tracker.get_island(NOVEL, "novel").use == 0


@given(st.lists(st.tuples(*[st.sampled_from([None, 0.1, 0.9])] * SIZE), max_size=40))
def test_events_alternate_and_uses_are_bounded_whatever_happens(generations):
    tracker, changes = told(*generations)
    assert tracker.uses <= OPTIONS.model_uses
    for island in range(SIZE):
        kinds = [each.kind for each in changes if each.island == island]
        assert kinds == ["constrained_on", "constrained_off"] * (len(kinds) // 2) + ["constrained_on"] * (
            len(kinds) % 2
        )
        assert tracker.get_island(island, STRATEGIES[island]).is_constrained == bool(len(kinds) % 2)


class History:
    def __init__(self, trials):
        self.trials = trials

    def latest(self, count):
        return tuple(self.trials[-count:])


@given(
    st.lists(st.tuples(*[st.sampled_from([None, 0.9])] * SIZE), min_size=1, max_size=25),
    st.lists(st.integers(1, 100), max_size=10),
)
def test_what_is_offered_does_not_depend_on_how_often_it_was_asked_before(generations, views):
    trials = trials_of(*generations)
    asked_often, asked_once = ConstrainedGeneration(OPTIONS, "Find it."), ConstrainedGeneration(OPTIONS, "Find it.")
    for view in sorted(min(view, len(trials)) for view in views):
        offers(asked_often, trials[:view])
        offers(asked_often, trials[:view])
    assert offers(asked_often, trials) == offers(asked_once, trials)


def offers(constraining, trials):
    ctx = SimpleNamespace(
        history=History(trials), generation_size=SIZE, llm=SimpleNamespace(available=False), problem=PROBLEM
    )
    return [
        constraining.offer(ctx, Selection(island=island, strategy=STRATEGIES[island], temperature=1.2))
        for island in range(SIZE)
    ]


# -- events -----------------------------------------------------------------------------------------------------------


def test_events_say_when_the_model_was_used_and_what_it_cost_and_when_it_was_refused():
    used = Proposal(id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(1, 1.2).to_data(), model="costly")
    refused = Proposal(id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(2, 1.2).to_data(), model="local")
    plain = Proposal(id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(0, 1.2).to_data(), model="local")
    trials = [trial(number, NOVEL, None, proposal=each) for number, each in enumerate([plain, used, used, refused])]
    events = find_fallback_events(trials, OPTIONS, generation_size=SIZE, dollars={1: 0.25, 2: 0.5})
    assert [(each.kind, each.island, each.dollars) for each in events] == [
        ("fallback_model", NOVEL, 0.75),
        ("refused", NOVEL, None),
    ]
    assert "use 1 of 3" in events[0].reason


@given(st.integers(0, 10**6), st.floats(0, 100))
def test_facts_are_read_back_from_their_proposal(use, temperature):
    found = ProposalFacts.read(
        Proposal(id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(use, temperature).to_data())
    )
    assert found is not None
    assert (found.use, found.temperature) == (use, pytest.approx(temperature, abs=0.001))


@pytest.mark.parametrize(
    ("id_", "use", "temperature"),
    [("graph_invariant.constrained@1.200", 0, 1.2), ("graph_invariant.constrained-3@0.300", 3, 0.3)],
)
def test_proposals_of_contract_1_have_the_facts_in_their_ids(id_, use, temperature):
    assert ProposalFacts.read(Proposal(id=id_, operator=CONSTRAINED)) == ProposalFacts(use, temperature)


def test_other_proposals_have_no_such_facts():
    assert ProposalFacts.read(Proposal(id="operators.fresh@1.200", operator="operators.fresh")) is None


# -- the month's book -------------------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path):
    return MonthlyLedger(tmp_path / "state" / "book.json", lambda: "2026-11")


def spent(ledger):
    return {
        name: (each["spent"], each["reserved"]) for name, each in json.loads(ledger._path.read_text())["months"].items()
    }


def test_what_is_set_aside_counts_until_it_is_settled(book):
    book.reserve("a", 6.0, most=10.0)
    with pytest.raises(NotGranted, match=r"6\.0000 of 10 dollars of 2026-11"):
        book.reserve("b", 5.0, most=10.0)
    book.settle("a", 1.0)
    book.reserve("b", 5.0, most=10.0)
    assert spent(book) == {"2026-11": (1.0, {"b": 5.0})}


def test_the_same_call_is_set_aside_and_settled_once_however_often_it_is_told(book):
    for _ in range(3):
        book.reserve("a", 6.0, most=10.0)
    for _ in range(3):
        book.settle("a", 2.0)
    assert spent(book) == {"2026-11": (2.0, {})}


def test_a_new_month_has_all_its_money_and_a_late_settlement_belongs_to_the_old_one(tmp_path):
    months = ["2026-11"]
    ledger = MonthlyLedger(tmp_path / "book.json", lambda: months[-1])
    ledger.reserve("a", 9.0, most=10.0)
    months.append("2026-12")
    ledger.reserve("b", 9.0, most=10.0)
    ledger.settle("a", 8.0)
    assert spent(ledger) == {"2026-11": (8.0, {}), "2026-12": (0.0, {"b": 9.0})}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 2}', '{"months": {"2026-11": {"spent": -1}}}', '{"months": {"x": {}}}', "[" * 100_000],
)
def test_a_damaged_book_grants_nothing_and_stays_as_it_is(tmp_path, text):
    path = tmp_path / "book.json"
    path.write_text(text)
    ledger = MonthlyLedger(path, lambda: "2026-11")
    with pytest.raises(NotGranted, match="is damaged"):
        ledger.reserve("a", 0.01, most=10.0)
    with pytest.raises(NotGranted, match="is damaged"):
        ledger.settle("a", 0.01)
    assert path.read_text() == text


def test_a_book_that_cannot_be_written_grants_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotGranted, match="cannot be noted"):
        MonthlyLedger(tmp_path / "file" / "book.json").reserve("a", 1.0, most=10.0)


def test_many_at_once_never_pass_the_months_money(book):
    granted = []

    def take(number):
        ledger = MonthlyLedger(book._path, lambda: "2026-11")
        for call in range(5):
            try:
                ledger.reserve(f"{number}/{call}", 1.0, most=10.0)
            except NotGranted:
                continue
            granted.append(1.0)
            ledger.settle(f"{number}/{call}", 1.0)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum(granted) == 10.0
    assert spent(book) == {"2026-11": (10.0, {})}


def test_the_tool_refuses_agents_that_ask_for_something_else():
    budget = FallbackBudget(OPTIONS)
    budget.open(RunStarted(run="run", folder="/run", pipeline={"plugins": ["graph_invariant"]}))
    ctx = SimpleNamespace(trial=1)
    other = {"attempt": 0, "model": "other", "prompt_tokens": 1, "completion_tokens": 1}
    for arguments in ({}, {**other, "attempt": -1}, other):
        call = ToolCall(id="x", tool="reserve_fallback", arguments=FrozenDict(arguments))
        assert not budget.reserve(ctx, call).ok


# -- prompts and answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_constraint_names_the_pool_and_the_skeleton_and_the_prompt_holds_the_task_as_it_is(language):
    options = FallbackOptions(language=language)
    proposal = Proposal(
        id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(0, 1.2).to_data(), instruction=get_constraint(language)
    )
    request = build_request(PROBLEM.statement, proposal, options)
    (message,) = request.messages
    assert message.content.startswith("Find {{a}} $formula.\n\n")
    assert "`+ - * / log sqrt ** sum mean max min`" in message.content
    assert "    degrees = [d for _, d in G.degree()]\n    return f(n, m, degrees)\n" in message.content
    assert (request.max_tokens, request.temperature) == (2048, 1.2)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_correction_shows_the_answer_and_what_was_wrong(language):
    failed = (Attempt(draft="I think $x {y}", reason="no $code"),)
    proposal = Proposal(
        id=CONSTRAINED,
        operator=CONSTRAINED,
        data=ProposalFacts(0, 1.2).to_data(),
        instruction=get_constraint(language),
        failed=failed,
    )
    text = build_request(PROBLEM.statement, proposal, FallbackOptions(language=language)).messages[0].content
    assert "I think $x {y}" in text
    assert "no $code" in text


TOLD = (Advice(id="tell-0", text="try $m / n\n# now"), Advice(id="tell-1", text="mind {trees}"))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_a_person_says_stands_in_the_prompt(language):
    proposal = Proposal(
        id=CONSTRAINED,
        operator=CONSTRAINED,
        data=ProposalFacts(0, 1.2).to_data(),
        instruction=get_constraint(language),
        advice=TOLD,
    )
    text = build_request(PROBLEM.statement, proposal, FallbackOptions(language=language)).messages[0].content
    assert "\n\n- try $m / n # now\n- mind {trees}" in text
    silent = build_request(
        PROBLEM.statement, proposal.model_copy(update={"advice": ()}), FallbackOptions(language=language)
    )
    assert text.startswith(silent.messages[0].content)


@given(st.lists(st.text(max_size=3000), max_size=30))
def test_no_advice_makes_a_prompt_longer_than_what_is_set_aside_for_it(texts):
    proposal = Proposal(id=CONSTRAINED, operator=CONSTRAINED, data=ProposalFacts(1, 1.2).to_data(), instruction="?")
    told = proposal.model_copy(
        update={"advice": tuple(Advice(id=f"tell-{i}", text=each) for i, each in enumerate(texts))}
    )
    bound, needed = (
        upper_bound(build_request(PROBLEM.statement, each, OPTIONS)) for each in (fill_advice(proposal), told)
    )
    assert needed.prompt_tokens <= bound.prompt_tokens
    assert select_advice(told) == told.advice[len(told.advice) - len(select_advice(told)) :], "the newest"


PROGRAM = "def new_invariant(G):\n    return 1\n"


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{PROGRAM}```",
        f"First\n```\nn = 1\n```\nthen\n```py\n{PROGRAM}```\nThat is it.",
        f"  ```python\n{PROGRAM}  ```",
        f"```python\n{PROGRAM}",
        PROGRAM,
    ],
)
def test_the_program_is_found_in_the_answer(answer):
    assert extract_program(answer) == PROGRAM


@pytest.mark.parametrize("answer", ["", "no idea", "```python\nx = 1\n```", "new_invariant is 3", "```\n" * 20_000])
def test_an_answer_without_a_program_goes_back_as_a_draft(answer):
    with pytest.raises(CandidateRejected) as caught:
        extract_program(answer)
    assert caught.value.draft


@given(st.text())
def test_any_text_in_a_code_block_that_names_the_function_is_handed_on_as_it_is(text):
    program = f"{PROGRAM}# {''.join(text.split())}\n".replace("```", "")
    assert extract_program(f"```\n{program}```\n").splitlines() == program.splitlines()


# -- the pool ---------------------------------------------------------------------------------------------------------

SKELETON = """def new_invariant(G):
    n = G.number_of_nodes()
    m = G.number_of_edges()
    degrees = [d for _, d in G.degree()]
    return """


@pytest.mark.parametrize(
    "expression",
    [
        "math.log(n) / math.log(2 * m / n)",
        "-np.sqrt(sum(d**2 for d in degrees) / len(degrees)) + 0.5",
        "np.mean([1 / d for d in degrees]) ** -0.5 * (max(degrees) - min(degrees))",
    ],
)
def test_programs_of_the_pool_are_accepted(expression):
    require_allowed(f"import math\nimport numpy as np\n{SKELETON}{expression}\n")


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("two_hop_share(G)", "two_hop_share"),
        ("nx.density(G)", "nx.density"),
        ("math.exp(n)", "math.exp"),
        ("n // m", "FloorDiv"),
        ("n if m > 3 else 1", "n if m > 3 else 1"),
        ("sorted(degrees)[n / 2]", "sorted(degrees)[n / 2]"),
        ("sum(1 for v in G)", "G, but for G.degree(), G.number_of_edges(), G.number_of_nodes(),"),
        ("math.log(n).real", "math.log(n).real"),
        ("'n'", "'n'"),
        ("True", "True"),
        ("(lambda x: x)(n)", "lambda x: x"),
        (f"[{'n, ' * 100}][0]", "Subscript"),
    ],
)
def test_what_is_not_in_the_pool_is_named_and_goes_back(expression, named):
    with pytest.raises(CandidateRejected) as caught:
        require_allowed(f"{SKELETON}{expression}\n")
    assert caught.value.reason == f"{named} is not in the pool: keep to it and to the skeleton"
    assert expression in caught.value.draft


@pytest.mark.parametrize(
    "program",
    [
        f"log = nx.density\n{SKELETON}log(n)\n",
        f"def helper(x):\n    return x\n\n\n{SKELETON}n\n",
        "@nx.density\ndef new_invariant(G):\n    return 1\n",
        "def new_invariant(G, seen=[]):\n    return len(seen)\n",
        "def new_invariant(*G):\n    return 1\n",
        "def new_invariant(G):\n    for v in G:\n        pass\n    return 1\n",
        "def new_invariant(G):\n    print(1)\n    return 1\n",
    ],
)
def test_programs_of_another_form_are_not_of_the_pool(program):
    with pytest.raises(CandidateRejected, match="is not in the pool"):
        require_allowed(program)


@given(st.text())
def test_whatever_is_no_python_is_left_to_the_evaluation(text):
    try:
        require_allowed(text)
    except CandidateRejected:
        ast.parse(text)
