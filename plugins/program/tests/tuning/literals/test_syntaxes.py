"""Numbers in programs of many languages: by syntax tree, by tokens, and which of them are choices."""

import importlib.util
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_program.tuning.literals.choices import choose
from evograft_program.tuning.literals.syntax_tree import read_tree
from evograft_program.tuning.literals.syntaxes import SYNTAXES, find_syntax
from evograft_program.tuning.literals.token_scan import scan

SAMPLES = {
    "python": '''
import math
ALPHA = <0.5>
WINDOW: int = <12>
LIMIT: float = -<5>
N = 26
def weigh(a, share=<0.3>, depth: int = <4>, seed=17):
    """Weigh 3.5 things."""
    total = 0
    total += <2.5> * a ** 2 + a ** 0.5 - 1.0 / 2.0
    for i in range(100):  # 7.5 times
        total += a * i - <0.75> % 7
    points = [<1.5>, -<2.25>]
    log(f"{total:.3f} of 9.5", "8.5", points[2], points[3:4])
    return clip(total, scale=<7>, axis=2) * math.cos(3.14159) + 1e-9
''',
    "c": """
#define ALPHA (<0.5>)
/* 3.5 */
static const double scale = <2>;
int sizes[5] = {1, 2};
double weigh(double a) {
    int window = <12>;
    for (int i = 2; i < 50; i++) a += sizes[3] * <0.75f>;
    a *= -<2.5>; // 4.5
    printf("%5.3f 9.5", a, '7');
    return a * 1.0;
}
""",
    "cpp": """
constexpr double ALPHA = <0.5>;
const int ROOM = 64;
std::array<int, ROOM> kept;
struct Weights { double near = <2>; int window{<12>}; };
template <int Power = 3>
double weigh(double a, int depth = <4>) {
    switch (depth) { case 7: a += <0.75>; break; }
    auto text = R"(5.5 ")";
    const int big = <1'000>;
    return a * <1.5e-3> + std::get<3 >(a) + 0x1F;
}
""",
    "rust": """
const ALPHA: f64 = <0.5>;
static WINDOW: usize = <12>;
fn weigh<'a>(x: &'a [f64]) -> f64 {
    let near: f64 = -<2.5_f64>;
    let zeros = [<0.25>; 8];
    let row: [i32; 4] = [0; 4];
    let mut total = 0.0;
    for i in 2..10 { total += x[3] * <0.75> + x[i].powi(2); }
    let text = r#"9.5 " 8.5"#; // 7.5
    let weights = Weights { far: <0.7> };
    total
}
""",
    "go": """
package main
const Alpha = <0.5>
var scale float64 = <5>
func weigh(x []float64) float64 {
    window := <12>
    var row [5]int
    for i := 2; i < 50; i++ { x[3] += <0.75> }
    weights := Weights{Near: <0.7>}
    text := `9.5` + "8.5" // 7.5
    return x[1] * -<2.5>
}
""",
    "java": """
class Weights {
    static final double ALPHA = <0.5>;
    int window = <12>;
    double weigh(double[] x) {
        double[] row = new double[5];
        for (int i = 2; i < 50; i++) { x[3] += <0.75f>; }
        String text = "9.5"; // 7.5
        return -<2.5> * x[1];
    }
}
""",
    "csharp": """
class Weights {
    const double Alpha = <0.5>;
    double Weigh(double[] x, int depth = <4>) {
        for (int i = 2; i < 50; i++) { x[3] += <0.75f>; }
        var text = "9.5"; // 7.5
        return -<2.5> * x[1];
    }
}
""",
    "javascript": """
const ALPHA = <0.5>;
let frame = <12>;
function weigh(x, share = <0.25>) {
    for (let i = 2; i < 50; i++) { x[3] += <0.75>; }
    const weights = { near: <0.7>, "far": <0.85> };
    const text = `9.5` + '8.5'; // 7.5
    return -<2.5> * x[1] ** 2;
}
""",
    "julia": """
const ALPHA = <0.5>
near::Float64 = -<7.5>
#= 3.5
=#
function weigh(x; share=<0.25>, depth::Int=<4>)
    for i in 2:10
        x[3] += <0.75> * x[i]'
    end
    text = "9.5" # 7.5
    return x[1]^2 * <1.5>
end
""",
    "fortran": """
module weights
real(8), parameter :: alpha = <0.5d0>
integer, parameter :: dp = 8
contains
subroutine weigh(x, row)
  real(dp) :: row(5)
  do i = 2, 10
    x(3) = x(i)**2 * <0.75_dp> ! 7.5
  end do
  text = '9.5'
  call clip(x, share=<0.3>)
end subroutine
end module
""",
}
"""One program in many languages; the numbers that somebody chose stand in `<>`."""
CHOSEN = re.compile(r"<(\d[\w.'-]*)>")
ONLY_BY_TREE = {
    "c": ["0.5", "12"],
    "cpp": ["12"],
}
"""What tokens do not tell for a choice: an integer behind a macro's name, or in braces."""

languages = pytest.mark.parametrize("language", SAMPLES)


def source_of(language):
    return CHOSEN.sub(r"\1", SAMPLES[language])


def chosen(found):
    return [found[place].literal.text for place in choose(found, most=100)]


@languages
def test_the_syntax_tree_tells_choices_from_other_numbers(language):
    grammar = SYNTAXES[language].grammar
    if importlib.util.find_spec(grammar) is None:
        pytest.skip(f"{grammar} is not installed")
    assert chosen(read_tree(source_of(language).encode(), grammar)) == CHOSEN.findall(SAMPLES[language])


@languages
def test_tokens_tell_real_choices_from_comments_strings_and_formulas(language):
    found = chosen(scan(source_of(language), SYNTAXES[language]))
    wanted = CHOSEN.findall(SAMPLES[language])
    assert [each for each in found if "." in each] == [each for each in wanted if "." in each]


@languages
def test_both_readers_give_numbers_the_same_places(language):
    text = source_of(language)
    by_tree = {each.start: each.literal for each in read_tree(text.encode(), SYNTAXES[language].grammar) or ()}
    by_tokens = {each.start: each.literal for each in scan(text, SYNTAXES[language])}
    common = by_tree.keys() & by_tokens.keys()
    assert {place: by_tree[place].value for place in common} == {place: by_tokens[place].value for place in common}
    assert by_tree.keys() <= by_tokens.keys()


@languages
def test_what_is_found_stands_there(language):
    text = "# é ✓\n".replace("#", "//" if "//" in SAMPLES[language] else "#") + source_of(language)
    for found in (read_tree(text.encode(), SYNTAXES[language].grammar) or [], scan(text, SYNTAXES[language])):
        assert found
        assert all(text.encode()[each.start : each.end].decode() == each.literal.text for each in found)


@given(st.text(alphabet="0123456789.eE+-*=(){}[];:,'\"#/!\\\n abcf_", max_size=200), st.sampled_from(sorted(SYNTAXES)))
def test_any_text_can_be_read(text, language):
    for found in (
        scan(text, find_syntax(language)),
        read_tree(text.encode(), SYNTAXES[language].grammar or "none") or [],
    ):
        assert all(text.encode()[each.start : each.end].decode() == each.literal.text for each in found)
        assert [each.start for each in found] == sorted({each.start for each in found})


@pytest.mark.parametrize("text", ["x = 1.5 # 2.5", "x = 1.5 // 2.5", "x = 1.5 /* 2.5 */", 'x = 1.5; y = "2.5"'])
def test_of_a_language_that_is_not_known_comments_and_strings_of_any_kind_are_left_out(text):
    assert [each.literal.text for each in scan(text, find_syntax("befunge"))] == ["1.5"]


def test_a_grammar_that_is_not_installed_reads_nothing():
    assert read_tree(b"x = 1.5", "tree_sitter_of_nobody") is None


def test_a_program_that_is_nested_deeply_is_read():
    text = "x = " + "(" * 3000 + "1.5" + ")" * 3000
    assert [each.literal.text for each in read_tree(text.encode(), "tree_sitter_python")] == ["1.5"]
    assert [each.literal.text for each in scan(text, find_syntax("python"))] == ["1.5"]


@pytest.mark.parametrize(("named", "grammar"), [("C++", "tree_sitter_cpp"), ("golang", "tree_sitter_go"), ("ruby", "")])
def test_a_language_has_several_names(named, grammar):
    assert find_syntax(named).grammar == grammar
