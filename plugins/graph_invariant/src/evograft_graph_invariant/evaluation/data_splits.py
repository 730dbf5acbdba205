"""The data sets of a run, by its options, and the purpose of each."""

from __future__ import annotations

from evograft_graph_invariant.graphs.datasets import FixedSet, RandomSet, SetSpec, make_random_set
from evograft_graph_invariant.graphs.generators import EXTREME_KINDS
from evograft_graph_invariant.options import GraphInvariantOptions

SANITY = FixedSet("sanity")
SPECIAL_TOPOLOGY = FixedSet("special_topology")
ATLAS = FixedSet("atlas")
"""All connected graphs of two to seven nodes: for bounds, and for scores that weigh them."""

OOD_NAMES = {"large": "large_random", "extreme": "extreme_params", "special": SPECIAL_TOPOLOGY.name}
"""The OOD sets, by what the last lines of a report call them."""


def get_search_sets(options: GraphInvariantOptions) -> tuple[RandomSet, RandomSet]:
    """Return the training and the validation set: all that the search sees."""
    return make_random_set("train", options.train, options.sizes), make_random_set(
        "validation", options.validation, options.sizes
    )


def get_test_sets(options: GraphInvariantOptions) -> tuple[RandomSet, ...]:
    """Return the sets that make up the test set."""
    sets: tuple[RandomSet, ...] = (make_random_set("test", options.test, options.sizes),)
    if options.extra_test:
        sets += (make_random_set("extra_test", options.extra_test, options.extra_test_sizes),)
    return sets


def get_random_ood_sets(options: GraphInvariantOptions) -> tuple[RandomSet, ...]:
    """Return the sets from outside the training distribution that are drawn."""
    # "Largest component, whatever its size": two nodes, since one alone has no distances.
    extreme = RandomSet(OOD_NAMES["extreme"], options.extreme, options.extreme_sizes, minimum=2, kinds=EXTREME_KINDS)
    return make_random_set(OOD_NAMES["large"], options.large, options.large_sizes), extreme


def get_ood_sets(options: GraphInvariantOptions) -> tuple[SetSpec, ...]:
    return (*get_random_ood_sets(options), SPECIAL_TOPOLOGY)
