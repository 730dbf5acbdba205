from networkx import from_graph6_bytes, graph_atlas_g, is_connected, is_isomorphic, path_graph, to_graph6_bytes

from evograft_graph_invariant.conjectures.invariants.distances import find_connected
from evograft_graph_invariant.conjectures.pools.enumeration import (
    COUNTS,
    enumerate_connected,
    enumerate_trees,
    extend_by_a_node,
    hash_graphs,
)
from evograft_graph_invariant.conjectures.pools.families import build_families
from evograft_graph_invariant.conjectures.pools.files import read_stacks
from evograft_graph_invariant.conjectures.pools.stack import decode_graph6, encode_graph6, stack_graphs, to_graph


def test_the_atlas_has_as_many_connected_graphs_as_are_known():
    assert {stack.order: len(stack) for stack in enumerate_connected(7)} == {n: COUNTS[n] for n in range(2, 8)}


def test_a_node_more_gives_all_connected_graphs_of_the_next_order():
    five = next(stack for stack in enumerate_connected(5) if stack.order == 5)
    atlas = [graph for graph in graph_atlas_g() if len(graph) == 6 and is_connected(graph)]
    extended = [to_graph(each) for each in extend_by_a_node(five.adjacency)]
    assert len(extended) == len(atlas) == 112
    assert all(any(is_isomorphic(graph, other) for other in atlas) for graph in extended[::10])


def test_isomorphic_graphs_have_one_hash():
    (stack,) = stack_graphs("paths", [path_graph([2, 0, 3, 1]), path_graph([0, 1, 2, 3])])
    first, second = hash_graphs(stack.adjacency)
    assert first == second


def test_there_are_as_many_trees_as_are_known():
    assert [len(stack) for stack in enumerate_trees(8, 10)] == [23, 47, 106]


def test_all_members_of_families_are_connected():
    for stack in build_families():
        assert find_connected(stack.adjacency).all()


def test_graph6_is_what_networkx_writes_and_reads():
    (stack,) = (stack for stack in enumerate_connected(5) if stack.order == 5)
    codes = [encode_graph6(each) for each in stack.adjacency]
    for adjacency, code in zip(stack.adjacency, codes, strict=True):
        assert to_graph6_bytes(to_graph(adjacency), header=False).strip() == code.encode()
        assert set(from_graph6_bytes(code.encode()).edges()) == set(to_graph(adjacency).edges())
    assert (decode_graph6([code.encode() for code in codes]) == stack.adjacency).all()


def test_a_file_of_equal_lines_is_read_as_one_stack(tmp_path):
    (stack,) = (stack for stack in enumerate_connected(4) if stack.order == 4)
    (tmp_path / "four.g6").write_text("".join(f"{encode_graph6(each)}\n" for each in stack.adjacency))
    (found,) = read_stacks(tmp_path / "four.g6")
    assert found.kind == "file four.g6"
    assert (found.adjacency == stack.adjacency).all()
