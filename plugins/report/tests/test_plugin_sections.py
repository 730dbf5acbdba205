"""Sections that plugins add to a report."""

from importlib.metadata import EntryPoint

import pytest
from click.testing import CliRunner
from logbook import figures_at
from pagereader import Page

from evograft.cli import cli
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft_report import plugin_sections
from evograft_report.page import get_catalog, render_page
from evograft_report.toolkit.section import Picture, Section, SectionTable

MODULE = """
from evograft.log.journal import Finished
from evograft_report.toolkit.chart import Chart
from evograft_report.toolkit.section import Picture, Section

def sections(run, journal, language):
    trials = [record for record in journal.records() if isinstance(record, Finished)]
    note = f"{run.name} has {len(trials)} trial <b>{language}</b>"
    yield Section("extra", "More & more", note=note, pictures=(Picture("a dot", b"<svg onload='x()'/>"),))

def broken(run, journal, language):
    raise RuntimeError("no ink")

def torn(run, journal, language):
    yield Section("first", "First")
    yield Section("second", "Second", charts=(Chart("c", "t", "d", (), lambda area: 1 / 0),))
"""


@pytest.fixture
def told():
    """What was said beside the report."""
    return []


@pytest.fixture
def offered(book, told, monkeypatch, tmp_path):
    """`offered(function)`: what a report has of the book's run if its plugin offers that function."""
    (tmp_path / "with_sections.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    book.problem()
    book.trial(1.0)

    def offer(function, *, plugin="lab"):
        entry = EntryPoint(plugin, f"with_sections:{function}", plugin_sections.GROUP)
        monkeypatch.setattr(
            plugin_sections, "installed", lambda group: {plugin: [entry]} if group == plugin_sections.GROUP else {}
        )
        with open_journal(book.path) as journal:
            return plugin_sections.load_plugin_sections(open_run(book.path), journal, "en", tell=told.append)

    return offer


def test_a_plugin_of_the_run_adds_sections_under_its_own_name(offered):
    (section,) = offered("sections")
    assert section == Section(
        "lab-extra", "More & more", "book has 1 trial <b>en</b>", pictures=(Picture("a dot", b"<svg onload='x()'/>"),)
    )


def test_a_plugin_that_the_run_does_not_name_adds_nothing(offered):
    assert offered("sections", plugin="other") == ()


@pytest.mark.parametrize(
    ("function", "shown", "cause"),
    [("broken", [], "no ink"), ("missing", [], "missing"), ("torn", ["lab-first"], "ZeroDivisionError")],
)
def test_who_fails_to_draw_is_named_and_the_rest_of_the_report_is_there(book, offered, told, function, shown, cause):
    sections = offered(function)
    assert [section.name for section in sections] == [*shown, "lab-failed"]
    (line,) = told
    assert line.startswith("plugin 'lab' (no distribution) failed to draw its part of the report: ")
    assert cause in line
    page = Page(render_page(figures_at(book.path), get_catalog("en"), sections))
    assert line in page.text
    assert "#scores" in page.links


def test_a_report_is_written_although_a_plugin_fails_to_draw(book, offered):
    offered("broken")
    done = CliRunner().invoke(cli, ["report", str(book.path)])
    assert done.exit_code == 0, done.output
    assert "no ink" in done.stderr
    assert "no ink" in (book.path / "report.html").read_text()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_sections_stand_in_the_page_and_its_contents_as_text_and_images(book, offered, language):
    html = render_page(figures_at(book.path), get_catalog(language), offered("sections"))
    page = Page(html)
    assert "#lab-extra" in page.links
    assert "book has 1 trial <b>en</b>" in page.text
    assert ("svg", "onload") not in page.attributes
    assert 'src="data:image/svg+xml;base64,' in html
    assert page.policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")


def test_images_are_allowed_only_where_there_are_some(book):
    book.problem()
    book.trial(1.0)
    html = render_page(figures_at(book.path), get_catalog("en"), (Section("lab-words", "Words", note="only"),))
    assert Page(html).policy.startswith("default-src 'none'; style-src 'sha256-")


def test_tables_stand_in_the_page_as_text(book):
    book.problem()
    book.trial(1.0)
    table = SectionTable("Heights", ("who", "height"), (("<b>ann</b>", "1.7"), ("ben", "1.8")), frozenset({0}))
    page = Page(
        render_page(figures_at(book.path), get_catalog("en"), (Section("lab-words", "Words", tables=(table,)),))
    )
    assert "Heights" in page.text
    assert "<b>ann</b>" in page.text
