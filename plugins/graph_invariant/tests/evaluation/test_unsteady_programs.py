"""Programs whose values depend on more than the graph: on earlier calls, names, time, addresses, or the data's size."""

from __future__ import annotations

import pytest

HONEST = (
    "def new_invariant(G):\n    total = 0\n    for node in G:\n        total += G.degree(node) ** 0.5\n"
    "    return total / len(G)"
)

# All of them are honest as long as a graph is asked for twice: in the 70 calls on the training graphs.
LATE = {
    "its calls": "density(G) if len(calls) <= 70 else density(G) + len(calls) * 1e-4",
    "names": "density(G) if len(calls) <= 70 else density(G) + 1e-4 * sum(1 for u, v in G.edges() if abs(u - v) < 3)",
    "the last graph": "density(G) if len(calls) <= 70 else density(G) + 1e-4 * len(calls[-2])",
}
CLOCKS = {
    "a time from a text": "np.datetime64('n' + 'ow', 's').astype('int64')",
    "a time from an array": "np.array(['today']).astype('M8[D]').astype('int64')[0]",
}

EXACT = """def new_invariant(G):
    if len(G) <= 100:
        return (1 - density(G)) / two_hop_share(G)
    total = 0
    for start in G:
        seen, front, distance = {start}, [start], 0
        while front:
            total += distance * len(front)
            front = list({v for u in front for v in G[u]} - seen)
            seen.update(front)
            distance += 1
    return total / (len(G) * (len(G) - 1))
"""


@pytest.fixture(scope="module")
def whole(make_bench):
    return make_bench()


def late(value: str) -> str:
    return f"def new_invariant(G, calls=[]):\n    calls.append(G)\n    return {value}\n"


@pytest.mark.parametrize("name", LATE)
def test_what_changes_after_the_training_graphs_is_rejected(whole, name):
    assert "the value changes when the graphs come in another order" in whole.rejection(late(LATE[name]))


def test_an_honest_program_is_accepted_as_before(whole):
    assert whole.evaluate(HONEST).status == "ok"


@pytest.mark.parametrize("name", CLOCKS)
def test_the_time_of_day_is_the_same_for_every_program(whole, name):
    source = f"moment = float({CLOCKS[name]})\ndef new_invariant(G):\n    return [density(G) + moment][0]\n"
    timeless = source.replace(CLOCKS[name], "0")
    assert whole.evaluate(source).metrics["validation_rho"] == whole.evaluate(timeless).metrics["validation_rho"]


def test_an_address_is_no_source_of_values(whole):
    source = (
        "address = hash(object()) % 4093\n"
        "def new_invariant(G):\n    return [density(G) + address * 1e-6 * transitivity(G)][0]\n"
    )
    assert "in another process" in whole.rejection(source)


def test_data_of_the_graphs_are_not_told_in_reasons(whole):
    reason = whole.rejection("def new_invariant(G):\n    raise ValueError(str(G.edges()))\n")
    assert reason == "no value on 70 of 70 graphs: graph 0: ValueError (line 2)"
    reason = whole.rejection("def new_invariant(G):\n    return {}[str(G.edges())]\n")
    assert reason == "no value on 70 of 70 graphs: graph 0: KeyError: '…' (line 2)"


def test_a_format_string_made_at_run_time_is_refused(whole):
    source = (
        "text = '{0.__clo' + 'sure__[1].cell_contents}'\n"
        "def new_invariant(G):\n    return float(len(text.format(density)))\n"
    )
    assert "write an f-string" in whole.rejection(source)


def test_a_program_that_is_exact_beyond_the_search_is_reported_and_has_failed(make_bench):
    bench = make_bench(
        train=10, validation=25, test=10, large=50, large_sizes=(101, 110), extreme=4, baselines=(), cpu_seconds=30.0
    )
    assert bench.evaluate(EXACT).status == "ok"
    final = bench.evaluate(EXACT, purpose="final")
    assert "leak on large_random: restates average_shortest_path_length" in final.feedback
    assert final.metrics["strict"] == final.metrics["success"] == 0.0
