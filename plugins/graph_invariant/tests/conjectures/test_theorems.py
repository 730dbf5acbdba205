"""The bundled theorems: a mistake in the file would hide conjectures, so none may be false on a graph."""

from importlib.resources import files

import pytest
import yaml

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.engine import find_violations
from evograft_graph_invariant.conjectures.invariants.catalogue import PROPERTY_NAMES
from evograft_graph_invariant.conjectures.table import load_table
from evograft_graph_invariant.conjectures.theorems.implication import IMPLIED_PROPERTIES, load_theorems

LEAST = 60


@pytest.fixture(
    scope="module", params=[pytest.param((7, 0), id="small"), pytest.param((8, 14), id="all", marks=pytest.mark.slow)]
)
def table(request):
    return load_table(*request.param, folder=None)


def find_false(inequalities, table):
    return [each.statement for each in inequalities if len(find_violations(each, table))]


def test_no_theorem_is_false_on_a_graph_of_the_table(table):
    assert find_false([each.inequality for each in load_theorems()], table) == []


def test_a_false_theorem_would_be_found(table):
    false = Inequality.parse("independence_number >= residue + 1")
    too_general = Inequality.parse("node_connectivity >= edge_connectivity")
    assert find_false([false, too_general], table) == [false.statement, too_general.statement]


def test_every_implication_between_properties_holds(table):
    for name, implied in IMPLIED_PROPERTIES.items():
        for other in implied:
            assert not (table.properties[name] & ~table.properties[other]).any(), f"{name} without {other}"


def test_there_are_many_theorems_each_once_and_with_a_source():
    theorems = load_theorems()
    assert len({each.inequality for each in theorems}) == len(theorems) >= LEAST
    assert all(each.source.strip() for each in theorems)


def test_the_file_names_known_properties_only():
    text = files("evograft_graph_invariant.conjectures.theorems").joinpath("known.yaml").read_text(encoding="utf-8")
    entries = yaml.safe_load(text)
    assert {key for entry in entries for key in entry} == {"statement", "for", "source"}
    assert {name for entry in entries for name in entry.get("for", ())} <= set(PROPERTY_NAMES)
