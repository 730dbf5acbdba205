"""Statements as Markdown: nothing of what a solver reads gets lost, and nothing hostile gets through."""

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from evograft_ahc.contests.statement.html_to_markdown import convert_to_markdown
from evograft_ahc.text.messages import ContestUserError

BASE = "https://atcoder.jp/contests/ahc999/tasks"


def markdown(html):
    return convert_to_markdown(BeautifulSoup(html, "html.parser"), BASE)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h3>Scoring</h3><p>More.</p>", "### Scoring\n\nMore.\n"),
        ("<p><var>1 \\le N_i*M_i</var></p>", "$1 \\le N_i*M_i$\n"),
        (r"<p>at \( x_1 * y_1 * z \) and \[ \sum_i a_i \]</p>", r"at $x_1 * y_1 * z$ and $$\sum_i a_i$$" + "\n"),
        ("<p>a<var></var>b</p>", "ab\n"),
        ("<pre><var>N</var> <var>M</var>\n  a_1\n\n</pre>", "```\nN M\n  a_1\n```\n"),
        ("<pre>a\n\n\n\nb</pre>", "```\na\n\n\n\nb\n```\n"),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````\n"),
        ("<p><code>a_b</code> <strong>c</strong></p>", "`a_b` **c**\n"),
        ("<ul><li>one<ul><li>two</li></ul></li></ul>", "- one\n  - two\n"),
        ("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two\n"),
        (
            "<table><tr><th>a</th><th><var>|x|</var></th></tr><tr><td>b|c</td><td>d</td></tr></table>",
            "| a | $\\|x\\|$ |\n| --- | --- |\n| b\\|c | d |\n",
        ),
        (
            "<details><summary>More</summary><p>hidden</p></details>",
            "<details>\n\n<summary>More</summary>\n\nhidden\n\n</details>\n",
        ),
        (
            '<img src="../img/a b(1).png" alt="map" title="t">',
            "![map](https://atcoder.jp/contests/img/a%20b%281%29.png)\n",
        ),
        ('<a href="/posts/1">rules</a>', "[rules](https://atcoder.jp/posts/1)\n"),
        ('<a href="javascript:alert(1)">x</a> <img src="data:image/png;base64,AA==" alt="y">', "x ![y]()\n"),
        ('<a href="https://[">x</a>', "x\n"),
        ("<p>a</p><script>alert(1)</script><style>p {}</style><p>b</p>", "a\n\nb\n"),
    ],
)
def test_an_element_becomes_markdown(html, expected):
    assert markdown(html) == expected


def test_html_that_is_nested_beyond_reason_is_refused_in_both_languages():
    with pytest.raises(ContestUserError, match="nested too deeply") as caught:
        markdown("<div>" * 3000)
    assert "入れ子" in caught.value.in_language("ja")


@given(st.text(alphabet="<>/&\\()[]$`|*_abvarpretdcodhf=\"' \n", max_size=200))
def test_no_text_breaks_the_converter(html):
    assert markdown(html).endswith("\n")


@given(st.text(alphabet="`ab \n", max_size=60))
def test_a_block_ends_where_it_ended(text):
    blocks = markdown(f"<pre>{text}</pre><p>end</p>")
    fence, _, rest = blocks.partition("\n")
    if text.strip("\r\n"):
        assert rest.count(f"\n{fence}\n") == 1
    assert blocks.endswith("end\n")
