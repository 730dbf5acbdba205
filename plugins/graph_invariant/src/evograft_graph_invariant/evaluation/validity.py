"""The checks that make a candidate invalid, whichever way its values were computed."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.evaluation.disguises import DisguiseDetector
from evograft_graph_invariant.evaluation.leaks import LeakDetector, find_equal_quantity, get_secrets
from evograft_graph_invariant.formulas.interpreter import CandidateValues
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable
from evograft_hookspecs import CandidateRejected

SAME = 1e-7
"""Relative difference that the order of summation may make when nodes are renamed."""


def require_values(answers: CandidateValues) -> Vector:
    """Return the values, one for each graph.

    Raises:
        CandidateRejected: there is no finite value on some graph: a correlation over the others would say nothing.
    """
    values = answers.values
    missing = len(values) - np.count_nonzero(np.isfinite(values))
    if missing:
        index, reason = answers.failures[0] if answers.failures else (0, "no value")
        raise CandidateRejected(f"no value on {missing} of {len(values)} graphs: graph {index}: {reason}")
    if np.count_nonzero(values == values[0]) == len(values):
        raise CandidateRejected("the value is the same on every graph")
    return values


def require_steadiness(values: Vector, train: FeatureTable) -> Vector:
    """Return the values on the training graphs alone; the first few of them follow under other names.

    Raises:
        CandidateRejected: a second call, or other names of the nodes, changed a value; or it is a hidden quantity.
    """
    first, rest = values[: train.count], values[train.count :]
    again, renamed = np.split(rest, 2)
    if not np.array_equal(first[: len(again)], again):
        raise CandidateRejected("two calls on equal graphs gave different values: the function must be deterministic")
    if not _are_same(first[: len(renamed)], renamed):
        raise CandidateRejected("the value changes when the nodes are renamed: it must depend on the graph alone")
    copied = find_equal_quantity(first, get_secrets(train))
    if copied is not None:
        raise CandidateRejected(f"leak: on the training graphs the value is {copied}, which may not be used here")
    return first


def require_same_again(values: Vector, again: Vector) -> None:
    """Compare with the values of another process, on the same graphs under other names and in another order.

    Raises:
        CandidateRejected: they differ.
    """
    if not _are_same(values, again):
        raise CandidateRejected(
            "the value changes when the graphs come in another order, their nodes renamed, or in another process: "
            "it must depend on the graph alone"
        )


def _are_same(first: Vector, second: Vector) -> bool:
    return bool(np.allclose(first, second, rtol=SAME, atol=SAME * float(np.abs(first).max()) * SAME))


def refuse_disguises(values: Vector, detector: DisguiseDetector) -> None:
    """Compare with everything forbidden by rank.

    Raises:
        CandidateRejected: the values order the graphs as a forbidden quantity does.
    """
    found = detector.find(values)
    if found is not None:
        name, rho = found
        raise CandidateRejected(f"leak: the value orders the graphs as the {name} does (|rho| {rho:.5f})")


def refuse_leaks(values: Vector, detector: LeakDetector) -> None:
    """Compare with everything forbidden.

    Raises:
        CandidateRejected: the values restate the target or what it is made of.
    """
    copied = detector.find_copied(values)
    if copied is not None:
        raise CandidateRejected(f"leak: the value restates {copied}, which it was to do without")
    if detector.is_made_of_forbidden(values):
        raise CandidateRejected("leak: the value is put together from columns and what may not be used here")
