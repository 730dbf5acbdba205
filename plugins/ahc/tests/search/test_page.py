"""What docs/ahc-operators.md says is what the code does."""

import re
from pathlib import Path

from evograft_ahc.search.pacing import find_counted_loop
from evograft_ahc.search.tuning.options import OPERATORS, TuningOptions
from evograft_ahc.search.tuning.spans import INTEGER_SPAN, SPAN
from evograft_ahc.search.tuning.tunable import read_tunable, unreadable_marks

PAGE = (Path(__file__).parents[4] / "docs" / "ahc-operators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```cpp\n(.*?)```", PAGE, re.DOTALL)


def test_every_operator_and_option_is_listed_with_its_default():
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (\S+) \|", PAGE, re.MULTILINE))
    options = {name: f"{field.default}" for name, field in TuningOptions.model_fields.items()}
    assert {name: rows[name].strip("`").capitalize() for name in options} == {
        name: value.capitalize() for name, value in options.items()
    }
    assert {name for name in rows if name.startswith("ahc.")} == {f"ahc.{operator.name}" for operator in OPERATORS}


def test_the_marks_that_are_shown_can_be_read():
    marks = BLOCKS[0]
    assert len(read_tunable(marks).parameters) == marks.count("evo: param") == 4
    assert unreadable_marks(marks) == ()


def test_the_loop_that_is_shown_can_run_by_the_clock():
    before, after = (f"int main() {{ {block} }} }}" for block in BLOCKS[1:])
    assert find_counted_loop(before)
    assert find_counted_loop(after) is None


def test_spans_are_those_of_the_page():
    assert (SPAN, INTEGER_SPAN) == (10, 4)
