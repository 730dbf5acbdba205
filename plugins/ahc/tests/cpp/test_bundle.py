"""Programs of several files as one."""

import pytest

from evograft.errors import UserError
from evograft_ahc.cpp.bundle import SourceBundle
from evograft_ahc.judging.program import MOST_BYTES


@pytest.fixture
def bundled(tmp_path):
    """Writes files, by name with `_` for the dot, and bundles `main.cpp`."""

    def bundle(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return SourceBundle(tmp_path / "main.cpp")

    return bundle


def test_a_program_of_one_file_stays_as_it_is(bundled):
    text = '#include <vector>\n#pragma once\nint main() {}\n// #include "a.hpp"\n/*\n#include "a.hpp"\n*/\n'
    made = bundled(main_cpp=text.replace("#pragma once\n", ""), a_hpp="int a;\n")
    assert made.source == text.replace("#pragma once\n", "")
    assert len(made.files) == 1


def test_included_files_stand_where_they_are_included_and_lines_keep_their_numbers(bundled):
    made = bundled(
        main_cpp='#include "a.hpp"\nint main() {}\n', a_hpp='int a;\n#include "b.hpp"\nint c;\n', b_hpp="int b;\n"
    )
    assert made.source.splitlines() == [
        '#line 1 "a.hpp"',
        "int a;",
        '#line 1 "b.hpp"',
        "int b;",
        '#line 3 "a.hpp"',
        "int c;",
        '#line 2 "main.cpp"',
        "int main() {}",
    ]
    assert [file.name for file in made.files] == ["main.cpp", "a.hpp", "b.hpp"]


def test_a_file_that_is_to_be_included_once_is_guarded_and_circles_end(bundled):
    made = bundled(
        main_cpp='#include "a.hpp"\n#include "a.hpp"\n',
        a_hpp='#pragma once\n#include "b.hpp"\n',
        b_hpp='#include "a.hpp"\n',
    )
    assert made.source.count("#ifndef INCLUDED_1\n#define INCLUDED_1\n") == 2
    assert "#pragma" not in made.source
    assert "#include" not in made.source


def test_a_file_that_is_not_there_is_left_to_the_compiler(bundled):
    assert '#include "missing.hpp"' in bundled(main_cpp='#include "missing.hpp"\n').source


def test_what_the_site_would_not_take_is_refused(bundled):
    with pytest.raises(UserError, match="bytes with what it includes, and the contest site takes"):
        bundled(main_cpp='#include "a.hpp"\n', a_hpp="//" + "a" * MOST_BYTES)
