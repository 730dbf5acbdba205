"""What SageMath itself makes of the file for it; `sage` may be passagemath's, whose graphs are a package of their own."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.conjecture import describe
from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES
from evograft_graph_invariant.conjectures.output import sage
from evograft_graph_invariant.conjectures.table import load_table

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("sage") is None, reason="install sage")]

SCRIPT = """
import json, sys

from sage.all__sagemath_graphs import *
from sage.all__sagemath_modules import *
from sage.repl.preparse import preparse

given = json.load(sys.stdin)
exec(preparse(given["file"]))
found = {text: [] for text in given["expressions"]}
for G in map(Graph, given["graphs"]):
    for text, values in found.items():
        values.append(float(eval(preparse(text))))
print(json.dumps(found))
"""


def compute_in_sage(file, expressions, graphs):
    given = json.dumps({"file": file, "expressions": list(expressions), "graphs": list(map(str, graphs))})
    done = subprocess.run(
        ["sage", "-python", "-c", SCRIPT], input=given, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def table():
    return load_table(5, 8, folder=None)


def test_every_invariant_and_property_has_the_value_of_the_table(table):
    columns = {name: (text, table.columns[name]) for name, text in sage.INVARIANTS.items()}
    columns |= {name: (text, table.properties[name]) for name, text in sage.PROPERTIES.items()}
    small = table.select(table.columns["n"] <= 9)
    found = compute_in_sage(sage.HEAD, (text for text, _ in columns.values()), small.graphs)
    assert set(columns) == {*INVARIANT_NAMES, *PROPERTY_NAMES}
    for name, (text, values) in columns.items():
        expected = values[table.columns["n"] <= 9].astype(float)
        np.testing.assert_allclose(found[text], expected, atol=1e-6, err_msg=name)


def test_a_function_agrees_with_graphs_where_the_bound_holds_and_with_no_other(table):
    bounds = [
        Inequality.parse("independence_number <= 2 * sqrt(n * radius) / 3 - m / (n + 1) + 1", ("claw_free", "planar")),
        Inequality.parse("domination_number >= floor(n / 4) * log(n + 1) - (max_degree - 1) ** 2 - diameter / 2"),
    ]
    file = sage.write_sage([describe(each, table, (), {}) for each in bounds])
    found = compute_in_sage(file, ["conjecture_1(G)", "conjecture_2(G)"], table.graphs)
    for bound, answers in zip(bounds, found.values(), strict=True):
        holds = (bound.compute_slack(table.columns) >= 0) | ~table.find_rows(bound.hypothesis)
        assert 0 < holds.sum() < len(table), "the bound holds on some graphs only"
        assert (np.array(answers, dtype=bool) == holds).all(), bound.statement
