"""Conjectures as functions of SageMath that try one graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evograft_graph_invariant.conjectures.conjecture import Conjecture

INVARIANTS = {
    "n": "G.order()",
    "m": "G.size()",
    "density": "G.density()",
    "average_degree": "G.average_degree()",
    "max_degree": "max(G.degree())",
    "min_degree": "min(G.degree())",
    "leaves": "G.degree().count(1)",
    "residue": "_residue(G)",
    "annihilation_number": "_annihilation_number(G)",
    "randic_index": "sum(1 / sqrt(RR(G.degree(u) * G.degree(v))) for u, v in G.edges(labels=False))",
    "harmonic_index": "sum(2 / (G.degree(u) + G.degree(v)) for u, v in G.edges(labels=False))",
    "first_zagreb_index": "sum(d^2 for d in G.degree())",
    "second_zagreb_index": "sum(G.degree(u) * G.degree(v) for u, v in G.edges(labels=False))",
    "triangles": "G.triangles_count()",
    "diameter": "G.diameter()",
    "radius": "G.radius()",
    "average_shortest_path_length": "G.average_distance()",
    "mean_eccentricity": "sum(G.eccentricity()) / G.order()",
    "wiener_index": "G.wiener_index()",
    "harary_index": "sum(1 / G.distance(u, v) for u, v in Subsets(G.vertices(sort=False), 2))",
    "spectral_radius": "max(G.adjacency_matrix().change_ring(RDF).eigenvalues(), key=real).real()",
    "energy": "sum(abs(x) for x in G.adjacency_matrix().change_ring(RDF).eigenvalues())",
    "algebraic_connectivity": "sorted(x.real() for x in G.laplacian_matrix().change_ring(RDF).eigenvalues())[1]",
    "laplacian_radius": "max(x.real() for x in G.laplacian_matrix().change_ring(RDF).eigenvalues())",
    "kirchhoff_index": "G.order() * sum(1 / x for x in sorted("
    "y.real() for y in G.laplacian_matrix().change_ring(RDF).eigenvalues())[1:])",
    "independence_number": "G.independent_set(value_only=True)",
    "clique_number": "G.clique_number()",
    "chromatic_number": "G.chromatic_number()",
    "matching_number": "G.matching(value_only=True, use_edge_labels=False)",
    "domination_number": "G.dominating_set(value_only=True)",
    "total_domination_number": "G.dominating_set(value_only=True, total=True)",
    "independent_domination_number": "G.dominating_set(value_only=True, independent=True)",
    "zero_forcing_number": "_zero_forcing_number(G)",
    "node_connectivity": "G.vertex_connectivity()",
    "edge_connectivity": "G.edge_connectivity()",
}
"""Each invariant as an expression of SageMath."""

PROPERTIES = {
    "tree": "G.is_tree()",
    "bipartite": "G.is_bipartite()",
    "triangle_free": "G.is_triangle_free()",
    "square_free": "not G.subgraph_search(graphs.CycleGraph(4))",
    "claw_free": "not G.subgraph_search(graphs.ClawGraph(), induced=True)",
    "chordal": "G.is_chordal()",
    "planar": "G.is_planar()",
    "regular": "G.is_regular()",
    "cubic": "G.is_regular(3)",
    "subcubic": "max(G.degree()) <= 3",
    "eulerian": "G.is_eulerian()",
    "without_leaves": "min(G.degree()) >= 2",
    "two_connected": "G.order() > 2 and G.is_biconnected()",
    "incomplete": "not G.is_clique()",
    "diameter_two": "G.diameter() <= 2",
}

HEAD = """# Conjectures as functions that return whether a connected graph agrees with one: load("conjectures.sage").


def _residue(G):
    degrees = sorted(G.degree(), reverse=True)
    while degrees and degrees[0]:
        first, degrees = degrees[0], degrees[1:]
        degrees = sorted([d - 1 for d in degrees[:first]] + degrees[first:], reverse=True)
    return len(degrees)


def _annihilation_number(G):
    total, count = 0, 0
    for d in sorted(G.degree()):
        total += d
        if total > G.size():
            break
        count += 1
    return count


def _zero_forcing_number(G):
    for size in range(1, G.order() + 1):
        for start in Subsets(G.vertices(sort=False), size):
            colored, grows = set(start), True
            while grows:
                white = [set(G.neighbors(v)) - colored for v in colored]
                forced = set().union(*(w for w in white if len(w) == 1))
                grows, colored = bool(forced), colored | forced
            if len(colored) == G.order():
                return size
"""


def write_sage(conjectures: Sequence[Conjecture]) -> str:
    """Return a file with a function for each conjecture that is not known."""
    return "\n".join(_write_lines([each for each in conjectures if each.status == "not refuted"]))


def _write_lines(conjectures: Sequence[Conjecture]) -> Iterator[str]:
    yield HEAD
    for number, each in enumerate(conjectures, start=1):
        inequality = each.inequality
        yield f"\ndef conjecture_{number}(G):"
        if inequality.hypothesis:
            yield f"    if not ({' and '.join(PROPERTIES[name] for name in inequality.hypothesis)}):"
            yield "        return True"
        # As real numbers: of integers, `sqrt` and `log` are symbols, and so would be the answer.
        yield from (f"    {name} = RR({INVARIANTS[name]})" for name in sorted(inequality.invariants))
        slack = f"({inequality.formula}) - {inequality.target}"
        yield f"    return {slack if inequality.sense == '<=' else f'-({slack})'} >= -1e-9\n"
