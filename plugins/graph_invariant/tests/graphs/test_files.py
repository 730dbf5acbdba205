import networkx as nx
import pytest

from evograft.api import UserError
from evograft_graph_invariant.graphs.files import read_graphs

PETERSEN = nx.petersen_graph()


def write_edges(path):
    path.write_text("# a comment\n" + "".join(f"{u},{v}, 1.5\n" for u, v in PETERSEN.edges()))


WRITERS = {
    "one.g6": lambda path: nx.write_graph6(PETERSEN, path),
    "one.s6": lambda path: nx.write_sparse6(PETERSEN, path),
    "one.graphml": lambda path: nx.write_graphml(PETERSEN, path),
    "one.gml": lambda path: nx.write_gml(PETERSEN, path),
    "one.csv": write_edges,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_of_each_form_is_read(tmp_path, name):
    WRITERS[name](tmp_path / name)
    (found,) = read_graphs(tmp_path / name)
    assert found.name == f"{name}:1"
    assert nx.is_isomorphic(found.graph, PETERSEN)


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    for name in ("b.g6", "a.g6"):
        nx.write_graph6(nx.path_graph(3), tmp_path / name)
    assert [each.name for each in read_graphs(tmp_path)] == ["a.g6:1", "b.g6:1"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.g6", "no graph\x01\n", "cannot be read as graphs"),
        ("a.g6", "", "no graph in it"),
        ("a.g6", "C?\n", "4 components"),
        ("a.g6", "@\n", "1 nodes"),
        ("a.csv", "1 2\n3\n", "line 2 has one name"),
        ("a.xyz", "1 2\n", "files that end in"),
        ("a.graphml", "<graphml", "cannot be read as graphs"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match=words) as caught:
        list(read_graphs(tmp_path / name))
    assert name in str(caught.value)


def test_a_directed_graph_is_refused(tmp_path):
    nx.write_graphml(nx.DiGraph([(0, 1)]), tmp_path / "d.graphml")
    with pytest.raises(UserError, match="directed"):
        list(read_graphs(tmp_path / "d.graphml"))


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="no such file or folder"):
        list(read_graphs(tmp_path / "nothing"))
