"""Whatever the records hold, the report shows it and does nothing of it."""

import json
import os
import re
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.reporting import events, write_report
from evograft_graph_invariant.reporting.events import read_events
from evograft_graph_invariant.reporting.markdown import escape

MATH = {"math", "mrow", "mi", "mn", "mo", "mfrac", "msqrt", "mroot", "msup", "msub"}
ELEMENTS = MATH | {
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
    "p",
    "a",
    "b",
    "br",
    "small",
    "div",
    "ul",
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
    "tr",
    "th",
    "td",
    "pre",
    "details",
    "summary",
    "svg",
    "desc",
    "text",
    "path",
    "rect",
    "circle",
}
NASTY = "</math></script><script>alert(1)</script><img src=http://evil.invalid/x onerror=alert(1)>\u202e$`|\x00"
TEXTS = [
    ("experiment_id",), ("target",), ("level",), ("stop_reason",), ("best", "formula"), ("best", "simplified"),
    ("best", "code"), ("best", "operator"), ("best", "novelty_plain", "nearest"), ("islands", 0, "name"),
    ("islands", 0, "strategy"), ("islands", 1, "elites", 0, "formula"), ("fallbacks", 0, "kind"),
    ("fallbacks", 0, "reason"), ("baselines", 0, "name"), ("baselines", 1, "formula"), ("baselines", 2, "reason"),
    ("verdicts", "success", "why"), ("data", 0, "name"), ("data", 0, "use"), ("cost", "models", 0), ("run", "name"),
    ("run", "folder"), ("best", "graphs", "test", "families", 0), ("config", "target"),
]  # fmt: skip


def put(data, place, value):
    *way, last = place
    for part in way:
        data = data[part]
    data[last] = value


@pytest.fixture
def hostile(folder):
    for place in TEXTS:
        put(folder.summary, place, f"{NASTY} {place[-1]}")
    folder.summary["best"]["ood"][NASTY] = {"rho": 0.5}
    folder.summary["best"]["simplified"] = f"sqrt(density)*nx.f(G)[{NASTY!r}]"
    folder.events[0] |= {"status": NASTY, "error": NASTY}
    folder.write()
    return folder


def test_a_page_has_no_element_or_attribute_that_does_anything(hostile):
    _, page = hostile.report()
    assert page.elements <= ELEMENTS
    assert not [name for _, name in page.attributes if name.startswith("on") or name in {"src", "style", "srcdoc"}]
    assert all(link.startswith("#") for link in page.links)
    assert "default-src 'none'" in page.policy
    assert "script-src" not in page.policy


def test_hostile_texts_are_shown_as_texts(hostile):
    _, page = hostile.report()
    assert page.text.count("<script>alert(1)</script>") >= len(TEXTS) - 5
    assert "\u202e" not in page.text


def test_a_hostile_name_in_a_formula_is_typeset_as_a_name(hostile):
    markdown, page = hostile.report()
    assert "mi" in page.elements
    assert r"\textless{}script\textgreater{}" in markdown


def test_markdown_has_no_html_outside_of_fences(hostile):
    markdown, _ = hostile.report()
    outside = re.sub(r"^(`{3,}).*?^\1$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    assert "<" not in outside.replace("&lt;", "")


@given(st.text())
def test_an_escaped_text_is_one_line_without_html(text):
    found = escape(text)
    assert "\n" not in found
    assert "<" not in found
    assert not re.search(r"(?<!\\)(\\\\)*[|`$]", found)


def test_a_fence_is_longer_than_those_within(folder):
    folder.summary["best"]["formula"] = "`````"
    folder.write()
    markdown, _ = folder.report()
    assert "``````python\n`````\n``````" in markdown


@pytest.mark.long
@pytest.mark.parametrize(
    "formula", ["9**9**9**9", "(" * 3000, "-" * 3900 + "n", "n" * 5000, "\ud800", "n\x00n", "a if", ""]
)
def test_a_formula_that_cannot_be_typeset_is_shown_as_text(folder, formula):
    for name in ("formula", "simplified"):
        folder.summary["best"][name] = formula
    folder.summary["islands"] = []
    folder.write()
    markdown, page = folder.report()
    assert "math" not in page.elements
    assert "$$" not in markdown


@pytest.mark.parametrize("number", [1e308, -1e308, 5e-324, 1e16, -0.0, 2**53])
def test_numbers_of_any_size_are_drawn(folder, number):
    best = folder.summary["best"]
    best["graphs"]["test"]["predicted"][0] = number
    best["graphs"]["test"]["true"][1] = -number
    best["test"] |= {"rho": number, "low": -number, "high": number}
    folder.summary["map_points"][0] |= {"simplicity": number, "novelty": -number, "score": number}
    folder.summary["islands"][0]["best_by_generation"] = [number, None, -number]
    folder.write()
    _, page = folder.report()
    assert "nan" not in page.text
    assert "svg" in page.elements


def test_numbers_that_are_none_are_not_recorded(folder):
    folder.summary["best"] |= {"score": float("inf"), "novelty": float("nan")}
    folder.summary["best"]["test"]["rho"] = float("nan")
    folder.write()
    markdown, page = folder.report()
    assert "count as not recorded: best.novelty, best.score, best.test.rho" in page.text
    assert not re.search("nan|inf(?!o)", markdown.replace("invariant", "").replace("infinit", ""), re.IGNORECASE)


def test_whole_numbers_beyond_floats_are_no_trouble(folder):
    huge = 10**400
    folder.summary["generations_run"] = huge
    folder.summary["fallbacks"][0]["generation"] = huge
    folder.summary["best"]["simplicity"]["ast_nodes"] = huge
    folder.summary["islands"][3]["number"] = huge
    folder.write()
    assert "Verdicts" in folder.report()[1].text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(TEXTS), value=json_values, cut=st.integers(0, 20))
def test_any_value_anywhere_and_any_torn_line_is_survived(folder, place, value, cut):
    put(folder.summary, place[: 1 + cut % len(place)], value)
    # Formulas are another test's matter, and start a process each.
    folder.summary["islands"] = []
    if isinstance(folder.summary.get("best"), dict):
        folder.summary["best"] |= {"formula": "", "simplified": ""}
    folder.write()
    with (folder.path / "events.jsonl").open("a") as file:
        file.write(json.dumps(value)[:cut])
    assert len(write_report(folder.path)) == 2
    folder.__init__(folder.path)


def test_a_line_without_an_end_is_read_in_pieces_and_counts_once(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "LONGEST_LINE", 1000)
    path = tmp_path / "events.jsonl"
    path.write_text('{"island": 1, "status": "success"}\n"' + "x" * 10_500 + '"\n{"island": 2, "status": "success"}\n')
    found = read_events(path)
    assert (found.lines, found.broken, sorted(found.by_island)) == (3, 1, [1, 2])


def test_a_file_of_events_that_is_too_large_is_read_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "MOST_BYTES", 1000)
    path = tmp_path / "events.jsonl"
    path.write_text('{"island": 1, "status": "success"}\n' * 100)
    found = read_events(path)
    assert found.is_cut
    assert found.lines == 29


def test_statuses_and_errors_without_end_are_counted_together(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f'{{"island": {n}, "status": "s{n}", "error": "e{n}"}}\n' for n in range(1000)))
    found = read_events(path)
    assert len(found.errors) <= events.MOST_KINDS + 1
    assert len(found.by_island) <= events.MOST_KINDS + 1


def test_a_pipe_in_place_of_a_file_is_not_waited_for(folder):
    folder.write()
    (folder.path / "events.jsonl").unlink()
    os.mkfifo(folder.path / "events.jsonl")
    assert "Model calls not recorded" in folder.report()[1].text


@pytest.mark.skipif(shutil.which("chromium") is None, reason="install chromium")
def test_a_browser_shows_the_page_without_a_script_or_a_request(hostile, tmp_path):
    hostile.report()
    netlog = tmp_path / "net.json"
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
               f"--log-net-log={netlog}", "--disable-background-networking", "--disable-component-update",
               "--no-first-run", "--dump-dom", (hostile.path / "report.html").as_uri()]  # fmt: skip
    done = subprocess.run(browser, capture_output=True, text=True, timeout=120, check=True)
    assert "alert(1)" in done.stdout
    assert "<img" not in done.stdout
    assert "<script" not in done.stdout
    # The browser itself asks for this and that, but nobody for what the records name.
    assert "evil.invalid" not in netlog.read_text()
