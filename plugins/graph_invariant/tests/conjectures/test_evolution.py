"""Conjectures as an ordinary evolution: candidates, their evaluation, what proposes them, and whole runs."""

import json
import random
from types import SimpleNamespace

import networkx as nx
import pytest
from waiting import wait_until

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.evolution.final_set import find_final_set
from evograft_graph_invariant.conjectures.evolution.notation import read_candidate, write_candidate
from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_graph_invariant.conjectures.evolution.plugin import GraphConjecturePlugin
from evograft_graph_invariant.conjectures.evolution.run_context import ConjectureContext
from evograft_graph_invariant.conjectures.pools.stack import encode_graph6
from evograft_hookspecs import Candidate, CandidateRejected, Evaluation, FrozenDict, Trial

OPTIONS = InequalityOptions(order=5, trees=0, search=0, final_search=0, least_graphs=4)
SMALL = ("order=5", "trees=0", "search=0", "final_search=60", "least_graphs=4")


@pytest.fixture(scope="module")
def context():
    return ConjectureContext.load(OPTIONS)


def evaluate(context, text, *, final=False):
    candidate = Candidate.of(text, kind="inequality", operator="test.test", trial=0)
    return context.evaluate(candidate, final=final)


def test_a_candidate_reads_back_as_it_was_written():
    inequality = Inequality.parse("independence_number <= 2 * sqrt(n * radius) / 3 - m / (n + 1) + 1 / 2", ("tree",))
    assert read_candidate(write_candidate(inequality), OPTIONS) == inequality
    assert read_candidate("independence_number ≥ n / 2\n  for tree, planar", OPTIONS).hypothesis == ("planar", "tree")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("independence_number < n", "write one inequality"),
        ("n <= independence_number", "begin with `independence_number <=`"),
        ("independence_number <= girth", "'girth' in 'girth' is neither"),
        ("independence_number <= n - independence_number + 3", "stands on the right too"),
        ("independence_number <= n for outerplanar", "'outerplanar' is not a property"),
        ("independence_number <= 9 ** 9 ** 9 * n", "an exponent is a number of at most 4"),
        ("independence_number <= 1e300 * n", "not a number of at most 1000"),
        ("independence_number <= True + n", "not a number of at most 1000"),
        ("independence_number <= 0.1234567891 * n", "more than 6 digits"),
        ("independence_number <= __import__('os').system('true')", "is neither an invariant nor an operation"),
        ("independence_number <= (n", "is not a formula"),
        ("independence_number <= n" + " + n" * 200, "write one inequality"),
        (
            "independence_number <= n / m + m / n + radius / n + n / radius + sqrt(n * m) / 7 + radius ** 2",
            "the complexity is",
        ),
    ],
)
def test_what_is_not_in_the_grammar_is_rejected_with_the_reason(text, reason):
    with pytest.raises(CandidateRejected) as caught:
        read_candidate(text, OPTIONS)
    assert reason in caught.value.reason


def test_a_violated_bound_is_rejected_with_the_smallest_graph(context):
    found = evaluate(context, "independence_number <= n / 2")
    assert found.status == "rejected"
    assert "refuted by a graph of 3 nodes, edges 0-1 0-2" in found.reason
    assert "independence_number = 2, n = 3, and the bound is 1.5" in found.reason
    assert found.details["counterexample"] == "Bo"


def test_a_bound_without_a_value_somewhere_is_refuted_there(context):
    assert "the bound is inf" in evaluate(context, "independence_number <= n / triangles").reason


def test_an_identity_and_a_rare_hypothesis_are_refused(context):
    for text, reason in [
        ("independence_number >= n - matching_number for bipartite, tree", "equal on every graph"),
        ("independence_number <= n for cubic", "of all connected graphs have these properties"),
    ]:
        with pytest.raises(CandidateRejected, match=reason):
            evaluate(context, text)


def test_a_sharper_bound_scores_higher_and_one_that_is_known_is_not_new(context):
    loose, sharp = (evaluate(context, f"independence_number <= {text}") for text in ("n", "n - matching_number"))
    assert loose.score < sharp.score
    assert sharp.metrics["novelty"] == 0
    assert sharp.metrics["touches"] == pytest.approx(sharp.metrics["sharpness"] * sharp.metrics["graphs"])


def test_the_final_evaluation_says_what_is_known(context):
    found = evaluate(context, "independence_number <= n - matching_number", final=True)
    assert "status = known" in found.feedback
    assert found.details["conjecture"]["status"] == "known"


def test_a_search_on_larger_graphs_refutes_what_holds_on_small_ones():
    options = InequalityOptions(target="diameter", order=4, trees=0, search=60, least_graphs=1)
    found = evaluate(ConjectureContext.load(options), "diameter <= 3")
    assert found.status == "rejected"
    assert "refuted by a graph of 10 nodes" in found.reason


def test_the_bounds_of_a_run_that_survive_complement_one_another():
    options = InequalityOptions(target="diameter", order=4, trees=0, search=0, final_search=60, least_graphs=1)
    context = ConjectureContext.load(options)
    texts = [
        "diameter <= radius + 1",
        "diameter <= n - 1",
        "diameter <= n",
        "diameter <= 2 * radius",
        "diameter >= radius",
    ]
    trials = []
    for number, text in enumerate(texts):
        candidate = Candidate.of(text, kind="inequality", operator="test.test", trial=number)
        trials.append(make_trial(candidate, **dict(context.evaluate(candidate, final=False))))
    found = find_final_set(context, trials)
    assert "diameter <= radius + 1" in found.refuted, "a graph of the search violates it, and none of the table"
    kept = [each.inequality.statement for each in found.conjectures]
    assert set(kept) == {"diameter <= n - 1", "diameter <= 2 * radius", "diameter >= radius"}, "n is nowhere the best"
    assert [each.touches for each in found.conjectures] == sorted(each.touches for each in found.conjectures)[::-1]
    assert all(each.sharp_graphs for each in found.conjectures)


def propose(context, operator, *, seed=0, parents=(), history=()):
    ctx = SimpleNamespace(
        rng=random.Random(seed), trial=9, history=SimpleNamespace(latest=lambda count: tuple(history)[-count:])
    )
    return context.make_candidate(ctx, SimpleNamespace(operator=f"graph_conjecture.{operator}"), tuple(parents))


def make_trial(candidate, **evaluation):
    return Trial(
        number=candidate.trial,
        view=0,
        candidate=candidate,
        evaluation=Evaluation(**evaluation),
    )


@pytest.mark.parametrize("operator", ["linear", "product"])
def test_what_is_proposed_holds_on_the_table_and_is_new(context, operator):
    first = propose(context, operator)
    assert context.evaluate(first, final=False).status == "ok"
    trial = make_trial(first, status="ok", score=0.5)
    second = propose(context, operator, parents=[trial], history=[trial])
    assert second.source != first.source
    assert second.parents == (9,)


def test_bounds_are_fitted_to_graphs_that_refuted_earlier_candidates(context):
    wrong = Candidate.of("independence_number <= 5\n", kind="inequality", operator="test.test", trial=1)
    star = encode_graph6(nx.to_numpy_array(nx.star_graph(8)) > 0)
    trial = make_trial(wrong, status="rejected", reason="refuted", details=FrozenDict({"counterexample": star}))
    table = context.add_counterexamples([trial, trial])
    assert len(table) == len(context.table) + 1
    assert len(context.add_counterexamples([])) == len(context.table)


def test_with_a_model_the_plugins_own_operators_weigh_less():
    plugin = GraphConjecturePlugin(OPTIONS)
    problem = plugin.analyze()
    assert problem.kind == "inequality"
    weights = {
        available: [each.weight for each in plugin.propose(SimpleNamespace(problem=problem, llm=llm))]
        for available, llm in ((available, SimpleNamespace(available=available)) for available in (False, True))
    }
    assert weights == {False: [1.0, 1.0], True: [0.1, 0.1]}


def run_arguments(path, trials):
    sets = [f"plugins.graph_conjecture.with.{each}" for each in SMALL]
    given = ["run", "--plugin", "graph_conjecture", "--trials", str(trials), "--run-dir", path]
    return [*given, *(part for each in sets for part in ("--set", each))]


def test_a_killed_run_that_is_resumed_equals_an_undisturbed_one(runs, tmp_path):
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    done = runs.evo(*run_arguments(undisturbed, 20))
    assert done.returncode == 0, done.stderr
    process = runs.start("-m", "evograft", *run_arguments(killed, 20))
    wait_until(lambda: (killed / "pipeline.lock.yaml").exists() and len(runs.trials(killed)) >= 3, process)
    runs.kill(process)
    done = runs.evo("resume", killed)
    assert done.returncode == 0, done.stderr
    assert runs.trials(killed) == runs.trials(undisturbed)
    sets = [(run / "conjectures" / "conjectures.json").read_text() for run in (killed, undisturbed)]
    assert sets[0] == sets[1]
    assert json.loads(sets[0])["conjectures"]


ANSWERS = """
import json, subprocess, sys, time
run = sys.argv[1]
evo = [sys.executable, "-m", "evograft", "answer", run]
texts = ["independence_number <= n / 2", "independence_number <= n - radius", "no idea", "independence_number <= n - m"]
given = 0
while True:
    for prompt in json.loads(subprocess.run([*evo, "--json"], capture_output=True, text=True).stdout or "[]"):
        text = texts[given % 4] if given % 4 == 2 else f"```\\n{texts[given % 4]} + {given}\\n```"
        subprocess.run([*evo, prompt["name"], "--stdin"], input=text, text=True, capture_output=True)
        given += 1
"""


@pytest.mark.long
def test_a_model_proposes_inequalities_and_the_run_repeats_from_its_log(runs, tmp_path):
    path, repeated = tmp_path / "answered", tmp_path / "repeated"
    script = tmp_path / "answers.py"
    script.write_text(ANSWERS)
    run = runs.start("-m", "evograft", *run_arguments(path, 6), "--llm", "manual")
    wait_until((path / "pipeline.lock.yaml").exists)
    answerer = runs.start(script, path)
    _, errors = run.communicate(timeout=600)
    assert run.returncode == 0, errors
    runs.kill(answerer)
    made = [each["candidate"] for each in runs.trials(path) if each["candidate"]]
    assert any(each["operator"].startswith("operators.") for each in made)
    assert "refuted by a graph of 3 nodes, edges 0-1 0-2" in runs.texts(path), "the model is told"
    done = runs.evo("run", "--llm", f"replay:{path}", "--run-dir", repeated)
    assert done.returncode == 0, done.stderr
    assert runs.trials(repeated) == runs.trials(path)
