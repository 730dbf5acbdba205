"""Counted loops that are made to run by the clock."""

import subprocess

import pytest

from evograft_ahc.contests.practice import get_practice
from evograft_ahc.library.blocks import load_library
from evograft_ahc.search.pacing import TIMER, find_counted_loop, run_by_clock

LOOP = """#include <cstdio>
#ifdef LOCAL
#include "debug.hpp"
#endif
const int STEPS = 1000;
int main() {
    int done = 0;
    for (int step = 0; step < STEPS; ++step) {
        double heat = double(step) / STEPS;
        if (heat > 1) return 1;
        ++done;
    }
    std::printf("%d\\n", done > 1000);
}
"""


def paced(source, seconds=0.05):
    loop = find_counted_loop(source)
    return run_by_clock(source, loop, load_library()[TIMER], seconds=seconds)


def test_the_loop_of_a_practice_contest_is_one():
    child = paced(get_practice("practice001").start_program())
    assert "pace.progress()" in child
    assert find_counted_loop(child) is None


def test_the_program_does_more_steps_than_were_counted(tmp_path, built):
    (tmp_path / "main.cpp").write_text(paced(LOOP))
    subprocess.run(
        ["g++", "-std=c++17", "-Wall", "-Werror", "-o", tmp_path / "main", tmp_path / "main.cpp"], check=True
    )
    assert subprocess.run([tmp_path / "main"], check=True, capture_output=True).stdout == b"1\n"


@pytest.mark.parametrize(
    "ratio",
    ["(double)step / STEPS", "static_cast<double>(step) / STEPS", "1.0 * step / STEPS", "f(double(step)/STEPS)"],
)
def test_ways_to_ask_how_far_it_has_got(ratio):
    assert find_counted_loop(LOOP.replace("double(step) / STEPS", ratio))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("++done;", "done += step;"),
        ("++done;", "use([&] { return step; });"),
        ("double(step) / STEPS", "0.5"),
        ("double(step) / STEPS", "double(step) / OTHER"),
        ("int step = 0", "int step = 1"),
        ("step < STEPS", "step <= STEPS"),
        ("++step", "step += 2"),
        ("++step", "++done"),
        ("int done = 0;", "int done = 0; auto now = std::chrono::steady_clock::now();"),
        ("int done = 0;", "int done = 0, pace = 0;"),
        ("int main() {", "int f() { for (int i = 0; i < 9; ++i) { g(1.0 * i / 9); } }\nint main() {"),
    ],
)
def test_a_loop_whose_steps_may_matter_is_left_alone(old, new):
    assert old in LOOP
    assert find_counted_loop(LOOP.replace(old, new)) is None


def test_the_timer_stands_behind_the_includes_that_are_always_read():
    child = paced(LOOP)
    assert child.index("#include <cstdio>") < child.index("namespace timer") < child.index("#ifdef LOCAL")
    assert paced(LOOP.replace("#include <cstdio>\n", "")).lstrip().startswith("#ifndef TIMER_CPP")
