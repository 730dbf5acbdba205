"""The algorithm library: every block compiles alone, does what it says, and is described as it is."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft.errors import UserError
from evograft_ahc.library.blocks import get_block, load_library, search_blocks

LIBRARY = load_library()
SOURCES = Path(__file__).parents[2] / "src" / "evograft_ahc" / "library"
PROGRAMS = Path(__file__).parent
STRICT = ("-Wall", "-Wextra", "-Werror")
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="install g++")


def compiled(*arguments):
    done = subprocess.run(["g++", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# -- what every block is ----------------------------------------------------------------------------------------------


def test_what_a_contest_needs_is_there():
    assert {
        *(
            "simulated_annealing",
            "hill_climbing",
            "beam_search",
            "beam_search_euler",
            "chokudai_search",
            "dijkstra",
            "bfs01",
        ),
        *(
            "union_find",
            "floyd_warshall",
            "minimum_spanning_tree",
            "max_flow",
            "min_cost_flow",
            "hungarian",
            "segment_tree",
        ),
        *(
            "fenwick_tree",
            "tsp_local_search",
            "k_means",
            "xorshift",
            "timer",
            "bitset_utils",
            "zobrist_hash",
            "top_k_heap",
        ),
        *(
            "indexed_set",
            "grid_geometry",
            "convex_hull",
            "kalman_filter",
            "bayes_update",
            "ucb_bandit",
            "monte_carlo_rollout",
        ),
    } == set(LIBRARY)


@pytest.mark.parametrize("stem", LIBRARY)
def test_a_block_is_described_as_it_is(stem):
    block = LIBRARY[stem]
    code, meta = block.code, block.meta
    guard = f"{stem.upper()}_CPP"
    assert code.startswith(f"#ifndef {guard}\n#define {guard}\n")
    assert f"\nnamespace {stem} {{\n" in code
    assert list(meta.dependencies) == re.findall(r"#include <(\w+)>", code)
    assert f"{stem}::" in meta.usage_example
    for signature in meta.function_signatures:
        name = re.search(r"(\w+|operator\W+)\(", signature)[1]
        assert re.search(rf"(?<!\w){re.escape(name)}\(", code), signature
    assert re.search("[ぁ-んァ-ヶ一-龠]", meta.description_ja)
    assert meta.tags


@needs_compiler
@pytest.mark.parametrize("stem", LIBRARY)
def test_a_block_compiles_alone(stem):
    compiled("-std=c++17", *STRICT, "-fsyntax-only", SOURCES / f"{stem}.cpp")


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """One program of all blocks and their examples."""
    lines = [f'#include "{stem}.cpp"' for stem in LIBRARY]
    lines += ["#include <cassert>", "#include <cmath>", "#include <random>", "#include <string>"]
    for stem, block in LIBRARY.items():
        lines.append(f"static void use_{stem}() {{\n{block.meta.usage_example}\n}}")
    lines.append("int main() {\n" + "".join(f"    use_{stem}();\n" for stem in LIBRARY) + "}")
    path = tmp_path_factory.mktemp("examples") / "examples.cpp"
    path.write_text("\n".join(lines) + "\n")
    return path


@needs_compiler
def test_every_example_runs_and_its_assertions_hold(examples):
    program = examples.with_suffix("")
    compiled("-std=gnu++17", "-O0", *STRICT, "-I", SOURCES, examples, "-o", program)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@needs_compiler
@pytest.mark.parametrize("standard", ["gnu++20", "gnu++23"])
def test_all_blocks_with_their_examples_compile_as_newer_judges_do(examples, standard):
    compiled(f"-std={standard}", *STRICT, "-fsyntax-only", "-I", SOURCES, examples)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("program", ["graphs", "structures", "searches", "numbers"])
def test_blocks_find_what_slow_ways_find(tmp_path, program):
    checked = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-D_GLIBCXX_ASSERTIONS")
    compiled(
        "-std=c++17", "-O0", *checked, *STRICT, "-I", SOURCES, PROGRAMS / f"{program}.cpp", "-o", tmp_path / program
    )
    done = subprocess.run([tmp_path / program], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_programs_include_every_block():
    included = {
        name for path in PROGRAMS.glob("*.cpp") for name in re.findall(r'#include "(\w+)\.cpp"', path.read_text())
    }
    assert included == set(LIBRARY)


# -- looking things up ------------------------------------------------------------------------------------------------


def test_a_search_finds_all_words_in_either_language_and_names_come_first():
    assert [block.stem for block in search_blocks(LIBRARY, "最短 始点")] == ["bfs01", "dijkstra"]
    hashed = [block.stem for block in search_blocks(LIBRARY, "HASH")]
    assert hashed[0] == "zobrist_hash"
    assert "beam_search" in hashed
    assert [block.stem for block in search_blocks(LIBRARY, "beam euler")] == ["beam_search_euler", "beam_search"]
    assert search_blocks(LIBRARY, "no such thing") == ()


@settings(deadline=None)
@given(st.text(min_size=1))
def test_more_words_find_no_more(text):
    wider = search_blocks(LIBRARY, "search")
    assert {block.stem for block in search_blocks(LIBRARY, f"search {text}")} <= {block.stem for block in wider}


def test_a_name_that_is_not_there_is_told_with_the_nearest():
    with pytest.raises(UserError, match="no library block 'djikstra'; did you mean 'dijkstra'"):
        get_block(LIBRARY, "djikstra")


# -- the user's own ---------------------------------------------------------------------------------------------------

META = {
    "name": "Sieve",
    "filename": "sieve.cpp",
    "description": "Primes.",
    "usage_example": "sieve::primes(10);",
    "function_signatures": ["std::vector<int> primes(int below)"],
    "template_parameters": [],
    "time_complexity": "O(n log log n)",
    "space_complexity": "O(n)",
    "tags": ["number_theory"],
    "dependencies": ["vector"],
    "notes": "",
}


@pytest.fixture
def own(tmp_path):
    def write(stem="sieve", code="// primes\n", **changes):
        (tmp_path / f"{stem}.cpp").write_text(code)
        (tmp_path / f"{stem}.meta.json").write_text(json.dumps({**META, **changes}))
        return tmp_path

    return write


def test_a_folder_adds_its_blocks(own):
    library = load_library([own()])
    assert len(library) == len(LIBRARY) + 1
    assert get_block(library, "sieve").code == "// primes\n"
    assert get_block(library, "sieve").described("ja") == "Primes."


def test_a_block_of_ones_own_takes_the_place_of_its_namesake(own):
    library = load_library([own("dijkstra", filename="dijkstra.cpp", name="Mine")])
    assert get_block(library, "dijkstra").meta.name == "Mine"
    assert len(library) == len(LIBRARY)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tags": "graph"}, "tags: "),
        ({"colour": "red"}, "colour: "),
        ({"name": None}, "name: "),
        ({"filename": "../../secret.txt"}, "filename: it describes sieve.cpp, not '../../secret.txt'"),
    ],
)
def test_a_broken_meta_is_told_with_its_file_and_field(own, changes, problem):
    folder = own(**changes)
    with pytest.raises(UserError) as raised:
        load_library([folder])
    assert str(raised.value).startswith(f"{folder / 'sieve.meta.json'}: {problem}")
    assert "\n" not in str(raised.value)


def test_a_missing_source_a_file_that_is_no_json_and_a_missing_folder_are_told(own, tmp_path):
    folder = own()
    (folder / "sieve.cpp").unlink()
    with pytest.raises(UserError, match=r"cannot read '.*sieve\.cpp': No such file"):
        load_library([folder])
    (folder / "sieve.meta.json").write_text("{")
    with pytest.raises(UserError, match=r"sieve\.meta\.json: not JSON"):
        load_library([folder])
    with pytest.raises(UserError, match="is no folder of library blocks"):
        load_library([tmp_path / "none"])
