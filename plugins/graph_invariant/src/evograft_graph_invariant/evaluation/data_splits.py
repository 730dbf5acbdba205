"""The data sets of a run, by its options, and the purpose of each."""

from __future__ import annotations

from evograft_graph_invariant.graphs.datasets import FixedSet, OwnSet, RandomSet, SetSpec, make_random_set
from evograft_graph_invariant.graphs.generators import EXTREME_KINDS
from evograft_graph_invariant.options import GraphInvariantOptions

SANITY = FixedSet("sanity")
SPECIAL_TOPOLOGY = FixedSet("special_topology")
ATLAS = FixedSet("atlas")
"""All connected graphs of two to seven nodes: for bounds, and for scores that weigh them."""

OOD_NAMES = {"large": "large_random", "extreme": "extreme_params", "special": SPECIAL_TOPOLOGY.name}
"""The OOD sets, by what the last lines of a report call them."""


def get_search_sets(options: GraphInvariantOptions) -> tuple[SetSpec, SetSpec]:
    """Return the training and the validation set: all that the search sees."""
    if options.graphs is not None:
        return OwnSet("train", options.graphs), OwnSet("validation", options.graphs)
    return get_random_search_sets(options)


def get_random_search_sets(options: GraphInvariantOptions) -> tuple[RandomSet, RandomSet]:
    """Return training and validation set where both are drawn."""
    return make_random_set("train", options.train, options.sizes), make_random_set(
        "validation", options.validation, options.sizes
    )


def get_larger_set(options: GraphInvariantOptions) -> RandomSet:
    """Return larger graphs of the training distribution, which the score may weigh; they are none of the OOD sets."""
    return make_random_set("larger", options.larger, options.larger_sizes)


def get_weighed_sets(options: GraphInvariantOptions) -> dict[str, SetSpec]:
    """Return the sets that the score counts next to the validation graphs."""
    sets: dict[str, SetSpec] = {"atlas": ATLAS} if options.weighs_atlas else {}
    return sets | ({"larger": get_larger_set(options)} if options.weighs_larger else {})


def get_test_sets(options: GraphInvariantOptions) -> tuple[SetSpec, ...]:
    """Return the sets that make up the test set."""
    if options.graphs is not None:
        return (OwnSet("test", options.graphs),)
    return get_random_test_sets(options)


def get_random_test_sets(options: GraphInvariantOptions) -> tuple[RandomSet, ...]:
    """Return the sets that make up the test set where they are drawn."""
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
    """Return all sets from outside the training distribution; of the user's graphs nobody knows what is outside."""
    return () if options.graphs is not None else (*get_random_ood_sets(options), SPECIAL_TOPOLOGY)


def get_sanity_sets(options: GraphInvariantOptions) -> tuple[SetSpec, ...]:
    """Return the set of real networks, which is none next to the user's graphs."""
    return () if options.graphs is not None else (SANITY,)
