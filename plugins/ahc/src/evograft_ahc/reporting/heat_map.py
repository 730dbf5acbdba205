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
FAILED = -1


@dataclass(frozen=True)
class ScoreRow:
    """A program."""

    label: str
    shades: tuple[int, ...]
    """Of each case: the place in `SHADES`, or `FAILED`."""


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
    cases = sorted({case for _, scores in programs for case in scores})
    if not cases:
        return None
    best = {case: max(sign * scores[case] for _, scores in programs if case in scores) for case in cases}
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

    description = t("heat.what", n=len(cases), percent=f"{100 * BOUNDS[0]:g}", far=f"{100 * BOUNDS[-1]:g}")
    legend = tuple(_entries(rows, t))
    return Chart("ahc-heat", t("heat.title"), description, legend, draw, height=80 + ROW * len(rows))


def _programs(steps: Sequence[Trial], references: References, t: Catalog) -> list[tuple[str, Mapping[str, float]]]:
    """Return labels and scores: the start program, the first step and the newest ones."""
    shown = [*steps[:1], *steps[1:][-(ROWS - 2) :]]
    programs: list[tuple[str, Mapping[str, float]]] = [
        (t("heat.trial", trial=trial.number), trial.evaluation.cases) for trial in shown
    ]
    if references.programs and shown and references.programs[0] != shown[0].evaluation.cases:
        programs.insert(0, (t("heat.start"), references.programs[0]))
    return programs


def _shade(scores: Mapping[str, float], case: str, best: float, sign: int) -> int:
    if case not in scores:
        return FAILED
    return bisect_right(BOUNDS, (best - sign * scores[case]) / max(abs(best), 1.0))


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
