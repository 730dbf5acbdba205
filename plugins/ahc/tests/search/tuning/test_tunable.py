"""Numbers of C++ programs: which are found, and how others are written in their place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.contests.practice import get_practice, list_practice_ids
from evograft_ahc.search.tuning.literal import LiteralForm, read_literal
from evograft_ahc.search.tuning.parameter import ParameterRange
from evograft_ahc.search.tuning.tunable import read_tunable, unreadable_marks


def names(source, **options):
    return [parameter.name for parameter in read_tunable(source, **options).parameters]


def values(source, **options):
    return read_tunable(source, **options).values


@pytest.mark.parametrize("contest", list_practice_ids())
def test_the_marks_of_the_practice_contests_are_all_read(contest):
    source = get_practice(contest).start_program()
    assert len(read_tunable(source).parameters) == source.count("evo: param")
    assert unreadable_marks(source) == ()


def test_where_numbers_are_marked_only_they_are_tuned_unless_asked_otherwise():
    source = "constexpr int STEPS = 300;\nconstexpr double HEAT = 2.5;  // evo: param 0.1..10 log\n"
    assert names(source) == ["HEAT"]
    assert names(source, unmarked=True) == ["STEPS", "HEAT"]
    assert names(source.replace("evo:", "")) == ["STEPS", "HEAT"]


def test_a_mark_says_the_range():
    (heat,) = read_tunable("const double HEAT = 2.5; // evo: param 0.1..1e2 log, of the start").parameters
    assert heat.range == ParameterRange(0.1, 100, is_log=True)
    (share,) = read_tunable("double share{.5}; /* evo: param -1..+1 */").parameters
    assert share.range == ParameterRange(-1, 1)


def test_a_mark_without_a_range_takes_that_of_the_value():
    (heat,) = read_tunable("double heat = 2.5; // evo: param of the start").parameters
    assert heat.range == ParameterRange(0.25, 25, is_log=True)
    assert values("f(a - 2.5); // evo: param") == (2.5,)


@pytest.mark.parametrize(
    "line",
    [
        "#define HEAT 2.5 // evo: param 1..3",
        "#define HEAT (2.5) /* evo: param 1..3 */",
        "struct S { double heat = 2.5; }; // evo: param 1..3",
        "int main() { x *= 2.5; } // evo: param 1..3",
        "void f(double heat = 2.5); // evo: param 1..3",
        "const float heat(2.5f); // evo: param 1..3",
        "enum { HEAT = 2 }; // evo: param 1..3",
    ],
)
def test_a_mark_may_stand_behind_any_number_of_its_line(line):
    assert values(line) == ((2.0,) if "enum" in line else (2.5,))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("int x = 0; // evo: param", "needs a range"),
        ("int x = 3; // evo: param 5", "a mark reads"),
        ("int x = 3; // evo: param 5..2", "no lower and higher end"),
        ("int x = 3; // evo: param 1e999..1e1000", "no lower and higher end"),
        ("int x = 3; // evo: param 0..2 log", "begins at 0"),
        ("int x = 3, y = 4; // evo: param 1..2", "more than one"),
        ("int x = y; // evo: param 1..2", "no number"),
        ("f(a -2.5); // evo: param -1..2", "no number"),
    ],
)
def test_a_mark_that_can_not_be_read_is_said_with_its_line(line, why):
    (said,) = unreadable_marks(f"\n{line}\n")
    assert said.startswith("line 2: ")
    assert why in said


def test_text_that_looks_like_a_mark_is_none():
    assert names('const char* s = "const int x = 3; // evo: param 1..9";') == []


@pytest.mark.parametrize(
    "source",
    [
        "const int SIZE = 100; int cells[SIZE];",
        "constexpr int SIZE = 100; std::array<int, SIZE> cells;",
        "constexpr int KIND = 2; void f(int x) { switch (x) { case KIND: break; } }",
        "constexpr double PI = 3.14159265358979;",
        "constexpr double EPS = 1e-9; const int INF = 1e9; constexpr long long BIG = 1000000007;",
        "constexpr double TIME_LIMIT = 1.95;",
        "constexpr unsigned MASK = 0xff; const int mode = 0755;",
        "int main() { for (int i = 0; i < 30; ++i) f(1.5); int best = 7; double sum = 1.0; }",
        'int main() { printf("%5.3f", x); std::cout << std::setprecision(12); }',
        "double dx[] = {0.5, 1.5};",
    ],
)
def test_numbers_that_nobody_chose_are_left_alone(source):
    assert names(source) == []


def test_constants_go_before_other_numbers_where_there_are_too_many():
    source = "int f() { double a = 0.5, b = 0.25; } const int BEAM = 30; struct S { double gain = 2.5 * n; };"
    assert names(source, most=2) == ["a", "BEAM"]
    assert names(source) == ["a", "b", "BEAM", "gain"]


def test_a_number_keeps_its_type_and_suffix():
    source = "const int BEAM = 1'000; const float B = 2.5f; const long KEEP = 12L; const double D = 7;"
    changed = read_tunable(source).write([1234.4, 3, 15.6, 7.25])
    assert changed == "const int BEAM = 1234; const float B = 3.0f; const long KEEP = 16L; const double D = 7.25;"


def test_programs_that_differ_in_numbers_are_alike():
    one = read_tunable("const double A = 0.5; // の比 evo: param 0..1")
    assert one.is_like(read_tunable(one.write([0.75])))
    assert not one.is_like(read_tunable("const double B = 0.5; // の比 evo: param 0..1"))


fuzzed = settings(deadline=None)
numbers = st.floats(-1e9, 1e9, allow_subnormal=False)


@fuzzed
@given(st.lists(numbers, min_size=1, max_size=5))
def test_what_was_written_is_read_again(written):
    names = [f"V{place}" for place in range(len(written))]
    source = "\n".join(f"const double {name} = 1.5;  // evo: param -2e9..2e9" for name in names)
    tunable = read_tunable(source)
    again = read_tunable(tunable.write(written))
    assert again.is_like(tunable)
    assert again.values == pytest.approx(written, rel=1e-4)
    assert again.write(again.values) == tunable.write(written)


@fuzzed
@given(st.text(alphabet='0123456789.eE+-*/(){};=,<>#"/ \nintcosdubleaxpr:vm', max_size=200))
def test_any_text_is_taken_apart_and_put_together_again(source):
    tunable = read_tunable(source, unmarked=True)
    assert read_tunable(tunable.write(tunable.values), unmarked=True).values == pytest.approx(tunable.values, rel=1e-4)


@fuzzed
@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6), st.booleans(), st.floats(0, 1))
def test_places_on_a_range_are_values_and_back(low, factor, is_log, place):
    span = ParameterRange(low, low * factor, is_log=is_log)
    assert span.low <= span.value(place) <= span.high
    assert span.place(span.value(place)) == pytest.approx(place, abs=1e-6)
    assert span.place(low / 2) == 0
    assert span.place(span.high * 2) == 1


@fuzzed
@given(st.floats(0.5, 0.99), st.floats(1.1, 1e6), st.floats(0, 1))
def test_places_on_a_range_below_one_are_values_and_back(low, factor, place):
    span = ParameterRange(low, 1 - (1 - low) / factor, is_from_one=True)
    assert span.low <= span.value(place) <= span.high
    assert span.place(span.value(place)) == pytest.approx(place, abs=1e-6)
    with pytest.raises(ValueError, match="does not end below 1"):
        ParameterRange(low, 1.0, is_from_one=True)


@pytest.mark.parametrize("text", ["0x1f", "0b11", "017", "1.5km", "x", "", "1e", "'a'"])
def test_what_is_no_decimal_number_is_not_read(text):
    assert read_literal(text) is None


def test_large_numbers_are_written_as_c_plus_plus_reads_them():
    assert LiteralForm(is_integer=False).write(1e16) == "1e+16"
    assert LiteralForm(is_integer=True, suffix="LL").write(-3.4) == "-3LL"
