"""Conjectures from data alone: the quick part of what benchmarks/bench_conjectures.py does with all targets."""

import json
import signal

import click
import pytest
import yaml

from evograft.api import UserError
from evograft_graph_invariant.cli import graph
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.engine import ConjectureOptions, ConjectureSearch, find_violations
from evograft_graph_invariant.conjectures.output.files import write_study
from evograft_graph_invariant.conjectures.output.terminal import format_study
from evograft_graph_invariant.conjectures.pools.enumeration import enumerate_trees
from evograft_graph_invariant.conjectures.pools.files import read_stacks
from evograft_graph_invariant.conjectures.pools.stack import encode_graph6
from evograft_graph_invariant.conjectures.study import ConjectureStudy
from evograft_graph_invariant.conjectures.table import load_table

OPTIONS = ConjectureOptions(
    targets=("independence_number", "diameter"),
    invariants=("n", "diameter", "radius", "residue", "independence_number", "matching_number"),
    properties=("tree",),
    data_order=5,
    beam=3,
)
FAST = "conjecture --target radius --using diameter --using n --property none --order 5 --trees 0 --search 0"
FEWER = ConjectureOptions(targets=("radius",), invariants=("n", "diameter", "max_degree"), properties=("tree",))


def conjecture(*arguments):
    return graph.main([*FAST.split(), *map(str, arguments)], standalone_mode=False)


@pytest.fixture(scope="module")
def table():
    return load_table(6, 0, folder=None)


@pytest.fixture(scope="module")
def result(table):
    return ConjectureStudy(table, OPTIONS, budget=0).run()


def test_classical_bounds_are_found_again(result):
    found = {each.inequality.statement for each in result.conjectures}
    assert {
        "independence_number >= residue",
        "independence_number <= n - matching_number",
        "diameter <= 2 * radius",
        "diameter >= radius",
    } <= found


def test_no_conjecture_is_violated_by_a_graph_of_the_table(result, table):
    assert [each for each in result.conjectures if len(find_violations(each.inequality, table))] == []


def test_what_is_refuted_comes_with_a_graph_that_shows_it(result):
    assert result.refuted
    assert all(result.refuted.values())


def test_known_theorems_are_told_apart_with_their_sources(result):
    by_statement = {each.inequality.statement: each for each in result.conjectures}
    known = by_statement["independence_number >= residue"]
    assert known.status == "known"
    assert "Favaron" in known.premises[0]


def test_every_conjecture_says_what_it_was_tried_on(result):
    for each in result.conjectures:
        assert each.tried["connected graphs"] > 0
        assert sum(count for _, count in each.histogram) == sum(each.tried.values())


def test_equal_seeds_give_equal_studies():
    small = load_table(5, 0, folder=None)
    first, second = (ConjectureStudy(small, FEWER, budget=54, seed=3).run().to_json() for _ in range(2))
    assert first == second
    assert any(each["searched"] for each in first["conjectures"])


def test_a_graph_of_a_file_refutes_and_is_fed_back(tmp_path):
    (tree,) = (stack for stack in enumerate_trees(9, 9))
    (tmp_path / "trees.g6").write_text("".join(f"{encode_graph6(each)}\n" for each in tree.adjacency))
    small = load_table(4, 0, folder=None)
    options = ConjectureOptions(targets=("diameter",), invariants=("n", "radius"), properties=(), data_order=4)
    study = ConjectureStudy(small, options, budget=0, files=[tmp_path / "trees.g6"])
    found = study.run()
    assert all(each.tried["file trees.g6"] >= len(tree) for each in found.conjectures)


def test_a_file_of_many_graphs_is_read_in_parts(tmp_path, monkeypatch):
    (trees,) = (stack for stack in enumerate_trees(9, 9))
    codes = [encode_graph6(each) for each in trees.adjacency]
    (tmp_path / "nine.g6").write_text("".join(f"{code}\n" for code in codes))
    monkeypatch.setattr("evograft_graph_invariant.conjectures.pools.files.PART", 20)
    stacks = list(read_stacks(tmp_path / "nine.g6"))
    assert [len(stack) for stack in stacks] == [20, 20, 7]
    assert [encode_graph6(each) for stack in stacks for each in stack.adjacency] == codes
    (tmp_path / "nine.g6").write_text(f"{codes[0]}\n{'H' + '?' * 6}\n")
    with pytest.raises(UserError, match=r"nine\.g6:2"):
        list(read_stacks(tmp_path / "nine.g6"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("nothere.g6", None, "nothere.g6: there is no such file"),
        ("one.g6", b"DQc~\n", "one.g6 cannot be read as graphs"),
        ("two.g6", b"Bw\nB?\n", "two.g6:2 has 3 components"),
    ],
)
def test_graphs_that_cannot_be_used_end_the_command_before_its_search(tmp_path, capfd, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=words):
        conjecture("--graphs", tmp_path / name)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("place", ["file", "file/inner"])
def test_a_folder_that_cannot_be_written_ends_the_command_before_its_search(tmp_path, capfd, place):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=f"--out {tmp_path / place}: no files can be written there"):
        conjecture("--out", tmp_path / place)
    assert capfd.readouterr() == ("", "")


def test_an_interrupted_study_gives_what_it_has_found(table):
    notes = []

    def note(text):
        notes.append(text)
        if "2 of 4" in text:
            raise KeyboardInterrupt

    found = ConjectureStudy(table, OPTIONS, budget=0, note=note).run()
    assert not found.is_complete
    assert {each.inequality.target for each in found.conjectures} == {"independence_number"}
    assert [each for each in found.conjectures if len(find_violations(each.inequality, table))] == []
    assert "interrupted" in notes[-1]
    assert "The search was interrupted: not all bounds were attacked" in list(format_study(found, most=3))


def test_an_interrupted_command_prints_what_it_has_found_and_says_so_by_its_exit_code(runs):
    options = "--property none --order 5 --trees 0 --search 0 --json"
    process = runs.start("-m", "evograft", "graph", "conjecture", *options.split())
    assert process.stderr.readline().startswith("round 1, ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert json.loads(out)["complete"] is False


@pytest.mark.parametrize("option", ["--target", "--using"])
def test_a_misspelt_invariant_is_answered_with_the_nearest_one(option):
    with pytest.raises(click.BadParameter, match=r"'matching_numbr' is unknown; did you mean 'matching_number'"):
        conjecture(option, "matching_numbr")


def test_a_refuted_bound_gets_the_properties_with_which_it_holds(table):
    options = ConjectureOptions(targets=("m",), invariants=("n",), properties=("tree",), data_order=5)
    search = ConjectureSearch(table, options)
    wrong = Inequality.parse("m <= n - 1")
    search._refute(wrong, "Bw")
    assert Inequality.parse("m <= n - 1", ("tree",)) in search.sides["m", "<="].candidates["tree",]


def test_the_files_of_a_study_are_complete(result, tmp_path):
    paths = {path.name: path.read_text(encoding="utf-8") for path in write_study(result, tmp_path / "out")}
    assert set(paths) == {
        "conjectures.json",
        "conjectures.html",
        "conjectures.tex",
        "Conjectures.lean",
        "conjectures.sage",
    }
    assert json.loads(paths["conjectures.json"]) == result.to_json()
    assert paths["conjectures.html"].count("<math") == len(result.conjectures)
    assert "<script" not in paths["conjectures.html"]
    still_open = sum(each.status == "not refuted" for each in result.conjectures)
    assert paths["conjectures.tex"].count(r"\begin{conjecture}") == still_open
    assert paths["Conjectures.lean"].count("theorem conjecture_") == still_open
    assert paths["conjectures.sage"].count("def conjecture_") == still_open


def test_the_terminal_counts_graphs(result):
    lines = list(format_study(result, most=3))
    assert any("sharp on" in line and "tried on" in line for line in lines)
    assert lines[-1].startswith("graphs of the table: 142 connected graphs")


def test_the_command_prints_one_json_object(capfd):
    assert conjecture("--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert "radius <= diameter" in {each["statement"] for each in found["conjectures"]}
    assert found["graphs"] == {"connected graphs": 30}


def test_the_list_of_classical_bounds_has_twenty_true_ones(table, request):
    path = request.path.parents[2] / "benchmarks" / "classical_bounds.yaml"
    bounds = [Inequality.parse(each["statement"]) for each in yaml.safe_load(path.read_text(encoding="utf-8"))]
    assert len(set(bounds)) == 20
    assert [each for each in bounds if len(find_violations(each, table))] == []
