"""Whatever candidates, models and people write, the page shows it and does nothing of it."""

import base64
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from logbook import LogBook
from pagereader import Page

from evograft.text.escapes import escape_controls, sanitize
from evograft.text.excerpts import clip
from evograft_hookspecs import Attempt, Candidate
from evograft_report.chart_files import get_renderers
from evograft_report.charts.report_charts import draw_charts
from evograft_report.page import get_catalog

ELEMENTS = [
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "nav",
    "main",
    "footer",
    "section",
    "h1",
    "h2",
    "h3",
    "h4",
    "p",
    "a",
    "b",
    "br",
    "strong",
    "small",
    "span",
    "div",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "th",
    "td",
    "pre",
    "code",
    "ins",
    "del",
    "mark",
    "details",
    "summary",
    "svg",
    "desc",
    "path",
    "text",
    "rect",
    "circle",
]
"""All that a page is made of: nothing that runs, loads or sends."""

HOSTILE = [
    "</script><script>document.title='pwned'</script>",
    "<img src=x onerror=\"document.title='pwned'\">",
    '"><svg onload="document.title=\'pwned\'">',
    "'><body onload='document.title=1'>",
    "</title></style></pre></svg></desc><script>document.title='pwned'</script>",
    "{{ 7 * 7 }}{% for x in y %}{0.__class__}%s",
    "]]><!--<script>",
    "javascript:alert(1)",
    "&lt;script&gt;",
    "\u202egnissik\u2066\u200b\x00\x1b[31m\x7f",
]


@pytest.fixture
def hostile(runs, tmp_path):
    """A run in which everything that somebody may choose is hostile, its own name included."""
    name = "<img src=x onerror=document.title='pwned'>"
    pipeline = runs.pipeline(trials=100, llm={"driver": "openai", "base_url": "http://127.0.0.1:9", "models": HOSTILE})
    with LogBook.begun({**pipeline, "order": "arrival"}, tmp_path / name) as book:
        book.problem(name=HOSTILE[0], statement=HOSTILE[1], objective=HOSTILE[2])
        for place, text in enumerate(HOSTILE):
            fill(book, place, text)
        yield book


def fill(book, place, text):
    """Rows that hold a text wherever they can."""
    parents = (book.number - 2,) if place else ()
    book.call(book.number, model=text)
    book.trial(
        float(place + 1),
        files={text: f"{text}\n{place}", "other": text * 3},
        parents=parents,
        island=place,
        selection={"island_name": text},
        model=text,
        proposal={"instruction": text, "advice": ({"id": f"{place}{text}", "text": text},)},
        candidate={"used_advice": (f"{place}{text}", text)},
        metrics={text: 1.0},
        attempts=(Attempt(candidate=Candidate.of(text, kind="k", operator="lab.step", trial=0), reason=text + "!"),),
    )
    book.trial(None, files={text: text}, reason=text)
    book.call(None, model=text, hook="observe", plugin=text)
    book.control("tell", text)
    book.control("stop", text)
    book.judge(0, commits=1, feedback=text, metrics={text: 1.0}, objectives={text: 2.0})


def test_a_page_is_made_of_harmless_elements_whatever_its_texts_say(hostile):
    for language in ("en", "ja"):
        page = Page(hostile.page(language))
        assert page.elements <= set(ELEMENTS)
        assert not [name for _, name in page.attributes if name.startswith("on") or name in ("src", "style", "srcdoc")]
        assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
        assert len(page.ids) == len(set(page.ids))


def test_hostile_texts_are_shown_as_they_were_written(hostile):
    text = Page(hostile.page()).text
    for words in HOSTILE[:-1]:
        assert words in text
    assert "<U+202E>gnissik<U+2066><U+200B>␀␛[31m␡" in text


def test_the_whole_line_of_the_best_is_on_the_page(hostile):
    assert hostile.figures().lineage.length == len(HOSTILE)


def test_nothing_on_a_page_is_invisible(hostile):
    html = hostile.page()
    assert escape_controls(html) == html


def test_the_policy_allows_the_page_its_own_style_and_nothing_else(hostile):
    page = Page(hostile.page())
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert page.policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert "url(" not in page.style
    assert "@import" not in page.style


def test_a_page_names_no_address(hostile):
    html = hostile.page()
    assert "http://" not in html.replace("http://www.w3.org", "").replace("http://127.0.0.1:9", "")
    assert "https://" not in html


def test_charts_as_files_are_well_formed_whatever_their_texts_say(hostile):
    from xml.etree import ElementTree as ET

    write = get_renderers("svg")["svg"]
    charts = draw_charts(hostile.figures(), get_catalog("en")).all
    assert len(charts) > 10
    for chart in charts:
        assert "/" not in chart.name
        tree = ET.fromstring(write(chart))
        assert {each.tag.partition("}")[2] for each in tree.iter()} <= {*ELEMENTS, "g"}


def test_keys_are_masked_in_what_was_said(book, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "a-very-secret-value")
    book.trial(None, reason="401: key sk-abcdef0123456789 and a-very-secret-value are wrong")
    book.control("tell", "use a-very-secret-value")
    page = book.page()
    assert "a-very-secret-value" not in page
    assert "sk-abcdef" not in page
    assert "401: key *** and *** are wrong" in page


def test_long_texts_are_cut_and_the_cut_is_said(book):
    book.trial(None, reason="x" * 100_000)
    book.trial(1.0, files="\n".join(f"line {n}" for n in range(5000)) + "\n" + "y" * 100_000)
    book.control("tell", "z" * 100_000)
    page = book.page()
    assert len(page) < 200_000
    assert "4601 more lines are not shown." in page
    assert "line 399" in page
    assert "line 400" not in page


def test_text_that_nobody_sees_becomes_visible():
    assert escape_controls("a\x00b\u202ec\u200bd\U000e0041e\r\nf\tg") == "a␀b<U+202E>c<U+200B>d<U+E0041>e\nf\tg"
    assert clip("a\nb\nc\n", lines=2).left_out == 1
    assert clip("a\nb", lines=2).left_out == 0
    assert clip("", lines=2).text == ""
    assert sanitize("x" * 20, 10) == "x" * 10 + "…"


# -- in a browser -----------------------------------------------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PROOF = "<script>document.title='pwned'</script>"


@pytest.fixture
def browse(tmp_path):
    """Loads a page in a real browser and returns what became of it after its scripts, if any, have run."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("install chromium")

    def load(html: str) -> str:
        page = tmp_path / "page.html"
        page.write_text(html, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
        done = subprocess.run(
            [*command, "--dump-dom", page.as_uri()],
            capture_output=True,
            text=True,
            check=True,
            timeout=240,
            env={**os.environ, "HOME": str(tmp_path)},
        )
        return done.stdout

    return load


def without_policy(html: str) -> str:
    head, _, rest = html.partition('<meta http-equiv="Content-Security-Policy"')
    return head + rest.partition(">")[2]


def was_run(dom: str) -> bool:
    return "<title>pwned</title>" in dom or "<title>1</title>" in dom


@pytest.mark.slow
def test_no_script_of_a_hostile_run_runs_in_a_browser(hostile, browse):
    for language in ("en", "ja"):
        html = hostile.page(language)
        assert not was_run(browse(html))
        assert not was_run(browse(without_policy(html))), "it is the escaping that holds, not only the policy"


@pytest.mark.slow
def test_the_policy_stops_a_script_that_would_run_without_it(hostile, browse):
    html = hostile.page().replace("<main>", f"<main>{PROOF}")
    assert was_run(browse(without_policy(html))), "a script that runs is noticed"
    assert not was_run(browse(html))


def test_the_repository_has_no_script_in_its_templates():
    import evograft_report

    for path in Path(evograft_report.__file__).parent.joinpath("templates").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "| safe" not in text
        assert " style=" not in text
