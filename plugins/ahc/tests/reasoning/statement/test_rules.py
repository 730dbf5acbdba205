"""An analysis without a model: read out of a statement by its form and its words."""

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.contests.past import load_packaged_contests
from evograft_ahc.contests.practice import get_practice
from evograft_ahc.contests.statement.html_to_markdown import convert_to_markdown
from evograft_ahc.contests.tag_vocabulary import load_vocabulary
from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.reasoning.statement.constraints import find_constraints
from evograft_ahc.reasoning.statement.rules import analyze_by_rules, find_parts
from evograft_ahc.reasoning.statement.tags import WORDS, find_tags
from evograft_ahc.reasoning.statement.variables import find_variables

GRID = r"""
Input is given in this form:

```
$N$ $M$
$c_{0,0}c_{0,1}\ldots c_{0,N-1}$
$\vdots$
$c_{N-1,0}c_{N-1,1}\ldots c_{N-1,N-1}$
$S$
$a_0$ $a_1$ $\cdots$ $a_{M-1}$
$h_{0,0}$ $\ldots$ $h_{0,N-1}$
$\vdots$
$h_{N-1,0}$ $\ldots$ $h_{N-1,N-1}$
$w_1$ $\ldots$ $w_M$
```

$S$ is a string of lower-case letters, $w_i$ a real number.
"""


def task_of(**changes):
    scorer = Scorer(program="tools/bin/score", channel="stderr", pattern=r"Score = (\d+)")
    facts = {"contest_id": "practice001", "interactive": False, "direction": "max", "end_source": "practice"}
    return ContestTask(**facts | {"time_limit_seconds": 2.0, "memory_limit_mb": 1024, "scorer": scorer} | changes)


def ranges(text):
    return {name: (found.min, found.max) for name, found in find_constraints(text).items()}


@pytest.mark.parametrize(
    ("line", "expected"),
    {
        r"- $1 \le N \le 100$": {"N": (1, 100)},
        r"* $1\leq N\leqq 10^{5}$": {"N": (1, 10**5)},
        r"- $0 \leq x_i,y_i \lt 10^{4}$": {"x_i": (0, 9999), "y_i": (0, 9999)},
        r"- $1 \le K \le 2\times 10^5$": {"K": (1, 200_000)},
        r"- $0 \le K \le N$": {"K": (0, "N")},
        r"- $1\leq a_{i,j}\leq N^2$": {"a_i,j": (1, "N^2")},
        r"- $-5 \le t \le 0.5$ (real)": {"t": (-5, 0.5)},
        r"- $N = 20$": {"N": (20, 20)},
        "- $D=70$ で固定": {"D": (70, 70)},
        "- $L$ は $5$ 以上 $100$ 以下の整数": {"L": (5, 100)},
        "- $p$ は $0$ 以上 $10$ 未満": {"p": (0, 9)},
        "- 1 ≤ N ≤ 100": {},
        r"- the sum of $w_i$ is $W$": {},
    }.items(),
)
def test_constraints_are_read(line, expected):
    assert ranges(line) == expected


def test_real_numbers_are_told_and_lines_are_kept_as_descriptions():
    found = find_constraints("- $0 \\le e \\le 1$, a **real** number")["e"]
    assert (found.type, found.description) == ("real", "0 <= e <= 1, a real number")


def test_input_variables_are_read_from_the_block():
    found = {each.name: (each.type, each.count) for each in find_variables(GRID)}
    assert found == {
        "N": ("int", None),
        "M": ("int", None),
        "c": ("array_of_string", None),
        "S": ("string", None),
        "a": ("array_of_int", "M"),
        "h": ("array_of_int", "N*N"),
        "w": ("array_of_float", "M"),
    }
    assert find_variables("no block here") == ()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_practice_contest_is_analysed_in_both_languages(language):
    found = analyze_by_rules(get_practice("practice001").statement(language), task_of())
    limits = {name: (each.min, each.max) for name, each in found.constraints.items()}
    assert limits["N"] == (60, 150)
    assert limits["d_i"] == (1, 20)
    (places,) = (each for each in found.input_variables if each.type == "array_of_objects")
    assert (dict(places.object_schema), places.count) == (dict.fromkeys("xyhdc", "int"), "N+1")
    assert [each.name for each in found.output_variables] == ["T", "k", "a"]
    assert "10^6" in found.scoring_rules.formula_example
    assert {"tsp", "pickup_delivery"} <= set(found.problem_type_tags)
    assert found.problem_statement_summary
    assert len(found.problem_statement_summary) < 1300


@pytest.mark.parametrize("language", ["en", "ja"])
def test_an_interactive_contest_is_told_by_its_task_not_by_its_words(language):
    statement = get_practice("practice002").statement(language)
    assert analyze_by_rules(statement, task_of(interactive=True)).problem_type_tags[0] == "interactive"
    assert "interactive" not in analyze_by_rules(statement, task_of()).problem_type_tags
    found = analyze_by_rules(statement, task_of(interactive=True))
    assert {"K", "D"} <= set(found.constraints)
    assert found.output_format_description == found.input_format_description != ""


def test_tags_are_of_the_vocabulary_and_past_contests_have_them():
    assert set(WORDS) <= set(load_vocabulary())
    assert set(WORDS) <= {tag for contest in load_packaged_contests() for tag in contest.tags}


def test_a_word_in_a_side_remark_makes_no_tag():
    assert find_tags("a polygon", interactive=False) == ()
    assert find_tags("polygons and one more polygon", interactive=False) == ("geometry",)


def test_headings_tell_the_parts():
    parts = find_parts(
        "story\n\n## Constraints\n\n$N$\n\n### Input Generation\n\nrandom\n\n## 入力\n\nN\n\n# Input\n\nM"
    )
    assert parts == {"story": "story", "constraints": "$N$", "generation": "random", "input": "N\n\nM"}


MARKDOWN = st.lists(
    st.sampled_from(
        ["# ", "## Input\n", "```\n", "$", "\\le ", "N", "_i", ",", "{", "}", "1", "^", "=", "\n", "- ", "以上", "…"]
    )
    | st.text(max_size=5),
    max_size=60,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(MARKDOWN)
def test_any_statement_has_an_analysis(statement):
    analyze_by_rules(statement, task_of())


@pytest.mark.parametrize(
    "text",
    [
        "#" * 200_000,
        "$" * 200_000,
        "$N" + ",x_i" * 50_000 + "$",
        "$1^" + "9" * 100_000 + "$",
        "```\n" + "a_" * 100_000,
        "[" * 100_000,
    ],
)
def test_a_hostile_statement_takes_no_more_time_than_a_long_one(text):
    analyze_by_rules(f"# Input\n\n{text}\n\n## Scoring\n\n{text}", task_of())


PAGE = r"""
<section><h3>問題文</h3><p><var>N \times N</var> のマス目をもつ倉庫に荷物が <var>M</var> 個ある。荷物を運ぶロボットを操作し、すべての荷物を出口へ
運べ。ロボットは 1 ターンに隣接するマスへ移動できる。</p></section>
<section><h3>得点</h3><p>移動回数を <var>T</var> として <var>\mathrm{round}(10^6 \times \log_2 T)</var> 点。小さいほどよい。</p></section>
<section><h3>入力</h3><pre><var>N</var> <var>M</var>
<var>c_{0,0}</var><var>c_{0,1}</var><var>\cdots</var><var>c_{0,N-1}</var>
<var>\vdots</var>
<var>c_{N-1,0}</var><var>c_{N-1,1}</var><var>\cdots</var><var>c_{N-1,N-1}</var>
<var>i_0</var> <var>j_0</var>
<var>\vdots</var>
<var>i_{M-1}</var> <var>j_{M-1}</var>
</pre>
<ul><li>マス目の大きさは <var>N=20</var> で固定である。</li>
<li>荷物の個数 <var>M</var> は <var>1\leq M\leq N^2/4</var> を満たす。</li>
<li><var>0\leq i_k, j_k\lt N</var></li></ul></section>
<section><h3>出力</h3><pre><var>T</var>
<var>a_1</var> <var>d_1</var>
<var>\vdots</var>
<var>a_T</var> <var>d_T</var>
</pre></section>
"""


def test_a_statement_as_it_comes_from_the_site_is_read():
    soup = BeautifulSoup(f"<div>{PAGE}</div>", "html.parser")
    found = analyze_by_rules(convert_to_markdown(soup.div, "https://example.com/"), task_of(direction="min"))
    limits = {name: (each.min, each.max) for name, each in found.constraints.items()}
    assert limits == {"N": (20, 20), "M": (1, "N^2/4"), "i_k": (0, "N"), "j_k": (0, "N")}
    assert {each.name: (each.type, each.count) for each in found.input_variables} == {
        "N": ("int", None),
        "M": ("int", None),
        "c": ("array_of_string", None),
        "i_j": ("array_of_objects", "M"),
    }
    assert [(each.name, each.count) for each in found.output_variables] == [("T", None), ("a_d", "T")]
    assert {"grid", "planning"} <= set(found.problem_type_tags)
