"""The record of scores as parts of a page: programs, cases, groups, history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_ahc.contests.task import Direction, sign_of
from evograft_ahc.reporting.heat_map import ROWS, HeatMapText, draw_programs
from evograft_ahc.reporting.tests_over_time import draw_tests
from evograft_ahc.scores import texts
from evograft_ahc.scores.texts import Row
from evograft_ahc.scores.view import ScoreView
from evograft_ahc.text.messages import Language
from evograft_report.toolkit.section import Section, SectionTable

MOST_PROGRAMS, MOST_CASES, MOST_RUNS = 50, 1000, 100


def build_score_sections(view: ScoreView, direction: Direction, language: Language) -> Iterator[Section]:
    """Build the parts that the record has something for.

    Args:
        view: of the record.
        direction: in which scores are better.
        language: of the page.
    """
    t = Catalog(language, __package__)
    if not view.table.best:
        return
    yield _build_programs(view, direction, language, t)
    program = sanitize(view.program.label) if view.program else ""
    if view.groups:
        rows = map(partial(texts.format_group, view), view.groups)
        table = _table(t("scores.groups"), texts.GROUPS[language], rows, texts.GROUP_WORDS)
        yield Section("groups", t("section.groups"), note=t("scores.groups_note", program=program), tables=(table,))
    runs = texts.list_by_hand(view.table.runs)
    if runs:
        table = _table(t("scores.runs"), texts.RUNS[language], map(texts.format_run, runs[:MOST_RUNS]), texts.RUN_WORDS)
        chart = draw_tests(runs[::-1], view.table, t)
        yield Section("history", t("section.history"), charts=(chart,) if chart else (), tables=(table,))
    yield _build_cases(view, program, language, t)


def _build_programs(view: ScoreView, direction: Direction, language: Language, t: Catalog) -> Section:
    shown = view.whole[:MOST_PROGRAMS]
    rows = [(str(number), *texts.format_program(view.table, program)) for number, program in enumerate(shown, start=1)]
    words = frozenset({0, *(column + 1 for column in texts.PROGRAM_WORDS)})
    table = _table(t("scores.programs"), ("#", *texts.PROGRAMS[language]), rows, words)
    chart = draw_programs(
        [(f"# {number}", program.scores) for number, program in enumerate(shown[:ROWS], start=1)],
        sign_of(direction),
        HeatMapText("ahc-record", t("scores.map"), "scores.map_note"),
        t,
    )
    counts = {"runs": len(view.table.runs), "programs": len(view.table.programs), "cases": len(view.table.best)}
    return Section(
        "record",
        t("section.record"),
        note=t("scores.note", **counts),
        charts=(chart,) if chart else (),
        tables=(table,) if shown else (),
    )


def _build_cases(view: ScoreView, program: str, language: Language, t: Catalog) -> Section:
    """Build the best score of each case, with the variables of its input and the score of the program in detail."""
    names = tuple(next(iter(view.variables.values()), {}))
    rows = [_case_row(view, case, names) for case in list(view.table.best)[:MOST_CASES]]
    case, *others = texts.CASES[language]
    words = frozenset({0, *(column + len(names) for column in texts.CASE_WORDS if column)})
    table = _table(t("scores.cases"), (case, *names, *others), rows, words)
    return Section("best", t("section.best"), note=t("scores.cases_note", program=program), tables=(table,))


def _case_row(view: ScoreView, case: str, names: tuple[str, ...]) -> Row:
    known = view.variables.get(case, {})
    first, *others = texts.format_case(view, case)
    return (first, *(f"{known[name]:g}" if name in known else "" for name in names), *others)


def _table(title: str, heads: Row, rows: Iterable[Row], words: frozenset[int]) -> SectionTable:
    return SectionTable(title, tuple(map(sanitize, heads)), tuple(tuple(map(sanitize, row)) for row in rows), words)
