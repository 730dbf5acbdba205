"""Which program is good on which case: a row a program, a column a case."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Trial
from evograft_report.toolkit.chart import Area, Chart, LegendEntry
from evograft_report.toolkit.svg import EM, join, text

BOUNDS = (0.001, 0.01, 0.03, 0.1, 0.3)
"""Up to which share below the best a case has each shade, the darkest first."""
SHADES = (1.0, 0.72, 0.48, 0.3, 0.16, 0.06)
ROWS = 14
"""Programs; of more the first and the newest."""
ROW = 18.0
FAILED, NOT_RUN = -1, -2
LabelledScores = tuple[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class ScoreRow:
    """A program."""

    label: str
    shades: tuple[int, ...]
    """Of each case: the place in `SHADES`, `FAILED`, or `NOT_RUN`, which is not drawn."""


def draw_heat_map(steps: Sequence[Trial], references: References, sign: int, t: Catalog) -> Chart | None:
    """Draw the programs that were the best when they came, each case next to the best of them all.

    The start program comes first.

    `None`: nothing has been evaluated.

    Args:
        steps: the latter.
        references: the start program is the first.
        sign: 1 where more is better, else -1.
        t: the words.
    """
    programs = _programs(steps, references, t)
    cases = {case for _, scores in programs for case in scores}
    filled = [(label, {case: scores.get(case) for case in cases}) for label, scores in programs]
    return draw_programs(filled, sign, HeatMapText("ahc-heat", t("heat.title"), "heat.what"), t)


@dataclass(frozen=True)
class HeatMapText:
    """What a heat map is called."""

    name: str
    title: str
    description: str
    """The key of what it shows, with the number of cases and two shares."""


def draw_programs(programs: Sequence[LabelledScores], sign: int, what: HeatMapText, t: Catalog) -> Chart | None:
    """Draw programs, each case next to the best of them all; `None`: they solved no case.

    Args:
        programs: labels and scores; `None` where a case failed; one that is missing was not run.
        sign: 1 where more is better, else -1.
        what: the map shows.
        t: the words.
    """
    solved = [(case, sign * score) for _, scores in programs for case, score in scores.items() if score is not None]
    best: dict[str, float] = {}
    for case, worth in solved:
        best[case] = max(worth, best.get(case, worth))
    cases = sorted(best)
    if not cases:
        return None
    rows = [
        ScoreRow(label, tuple(_shade(scores, case, best[case], sign) for case in cases)) for label, scores in programs
    ]

    def draw(area: Area) -> Markup:
        width = (area.right - area.left) / len(cases)
        height = (area.bottom - area.top) / len(rows)
        parts = [_cells(rows, place, area, width, height) for place in (*range(len(SHADES)), FAILED)]
        labels = [
            text(area.left - 6, area.top + (number + 0.5) * height + EM / 3, row.label, anchor="end")
            for number, row in enumerate(rows)
        ]
        ends = [
            text(area.left, area.bottom + 17, cases[0]),
            text(area.right, area.bottom + 17, cases[-1], anchor="end"),
        ]
        return join([*parts, *labels, *ends, text(area.right, area.size.height - 5, t("axis.cases"), anchor="end")])

    description = t(what.description, n=len(cases), percent=f"{100 * BOUNDS[0]:g}", far=f"{100 * BOUNDS[-1]:g}")
    legend = tuple(_entries(rows, t))
    return Chart(what.name, what.title, description, legend, draw, height=80 + ROW * len(rows))


def _programs(steps: Sequence[Trial], references: References, t: Catalog) -> list[tuple[str, Mapping[str, float]]]:
    """Return labels and scores: the start program, the first step and the newest ones."""
    shown = [*steps[:1], *steps[1:][-(ROWS - 2) :]]
    programs: list[tuple[str, Mapping[str, float]]] = [
        (t("heat.trial", trial=trial.number), trial.evaluation.cases) for trial in shown
    ]
    if references.programs and shown and references.programs[0] != shown[0].evaluation.cases:
        programs.insert(0, (t("heat.start"), references.programs[0]))
    return programs


def _shade(scores: Mapping[str, float | None], case: str, best: float, sign: int) -> int:
    if case not in scores:
        return NOT_RUN
    score = scores[case]
    return FAILED if score is None else bisect_right(BOUNDS, (best - sign * score) / max(abs(best), 1.0))


def _cells(rows: Sequence[ScoreRow], shade: int, area: Area, width: float, height: float) -> Markup:
    """Draw all cells of a shade, as one path."""
    places = [(x, y) for y, row in enumerate(rows) for x, each in enumerate(row.shades) if each == shade]
    if not places:
        return Markup()
    box = f"h{width - 0.5:.2f}v{height - 2:.1f}h{0.5 - width:.2f}z"
    data = "".join(f"M{area.left + x * width:.2f} {area.top + y * height:.1f}{box}" for x, y in places)
    kind, opacity = ("rejected", 1.0) if shade == FAILED else ("ok", SHADES[shade])
    return Markup('<path class="bar {}" fill-opacity="{}" d="{}"/>').format(kind, opacity, data)


def _entries(rows: Iterable[ScoreRow], t: Catalog) -> Iterable[LegendEntry]:
    yield LegendEntry("ok", t("heat.best"), "bar")
    if any(FAILED in row.shades for row in rows):
        yield LegendEntry("rejected", t("heat.failed"), "bar")
