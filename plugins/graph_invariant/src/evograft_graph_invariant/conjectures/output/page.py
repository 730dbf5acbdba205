"""The page of a study: conjectures as formulas, the graphs on which they are sharp, and the slack on all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import networkx as nx
import numpy as np
from markupsafe import Markup

from evograft.text.i18n import Catalog
from evograft_graph_invariant.conjectures.conjecture import Conjecture, ConjectureStatus
from evograft_graph_invariant.conjectures.invariants.catalogue import BY_NAME, PROPERTY_BY_NAME
from evograft_graph_invariant.conjectures.output.notation import list_symbols, to_mathml
from evograft_graph_invariant.conjectures.pools.stack import decode_graph6, to_graph
from evograft_graph_invariant.conjectures.study import ConjectureStudyResult
from evograft_report.toolkit.document import render

PACKAGE: Final = "evograft_graph_invariant.conjectures.output"
SIDE = 100.0
MARGIN = 12.0
WIDTH, HEIGHT = 300.0, 60.0
TREE = "tree"

GROUPS: tuple[tuple[ConjectureStatus, str], ...] = (
    ("not refuted", "not_refuted"),
    ("known", "known"),
    ("not sharper than known theorems", "weaker"),
)


@dataclass(frozen=True)
class ConjectureCard:
    """One conjecture as the page shows it."""

    scope: str
    mathml: Markup
    statement: str
    touches: int
    drawings: tuple[Markup, ...]
    histogram: Markup
    largest: str
    tried: str
    searched: str
    premises: tuple[str, ...]


@dataclass(frozen=True)
class CardGroup:
    """All conjectures of one status."""

    id: str
    title: str
    cards: tuple[ConjectureCard, ...]


def write_page(result: ConjectureStudyResult, *, language: str = "en") -> str:
    """Return the page, which needs no network and runs no script."""
    t = Catalog(language, PACKAGE)
    groups = []
    for status, name in GROUPS:
        cards = tuple(_write_card(each, t) for each in result.conjectures if each.status == status)
        groups.append(CardGroup(name, t(f"status.{name}", n=len(cards)), cards))
    graphs = ", ".join(f"{count} {kind}" for kind, count in result.graphs.items())
    symbols = [(BY_NAME[name].symbol, f"{name}: {BY_NAME[name].meaning}") for name in list_symbols(result.conjectures)]
    summary = t("page.graphs", graphs=graphs, n=len(result.refuted), seed=result.seed)
    if not result.is_complete:
        summary = f"{summary} {t('page.interrupted')}"
    css = ("conjectures.css",)
    return render(PACKAGE, "conjectures.html", t, css=css, groups=groups, symbols=symbols, summary=summary)


def _write_card(conjecture: Conjecture, t: Catalog) -> ConjectureCard:
    inequality = conjecture.inequality
    return ConjectureCard(
        scope=_write_scope(inequality.hypothesis, t),
        mathml=Markup(to_mathml(inequality)),  # noqa: S704 - every name is from the catalogue, and escaped
        statement=inequality.statement,
        touches=conjecture.touches,
        drawings=tuple(map(draw_graph6, conjecture.sharp_graphs)),
        histogram=_draw_histogram(conjecture),
        largest=f"{conjecture.histogram[-1][0]:.3g}",
        tried=", ".join(f"{count} {kind}" for kind, count in conjecture.tried.items()),
        searched=", ".join(
            t("conjecture.of_order", n=count, nodes=order) for order, count in conjecture.searches.items()
        ),
        premises=conjecture.premises,
    )


def _write_scope(hypothesis: Sequence[str], t: Catalog) -> str:
    """Return for which graphs a conjecture is; a tree is a noun, all other properties are adjectives."""
    noun = "tree" if TREE in hypothesis else "graph"
    adjectives = ", ".join(PROPERTY_BY_NAME[name].adjective for name in hypothesis if name != TREE)
    if adjectives:
        return t(f"conjecture.some_{noun}", properties=adjectives)
    return t(f"conjecture.every_{noun}")


def draw_graph6(code: str) -> Markup:
    """Return a drawing of a graph, with its code as the title."""
    graph = to_graph(decode_graph6([code.encode()])[0])
    places = np.array(list(nx.kamada_kawai_layout(graph).values()))
    low, high = places.min(axis=0), places.max(axis=0)
    points = SIDE / 2 + (SIDE - 2 * MARGIN) * (places - (low + high) / 2) / max(float((high - low).max()), 1e-9)
    edge = Markup('<path class="edge" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>')
    node = Markup('<circle class="node" cx="{:.1f}" cy="{:.1f}" r="4"/>')
    edges = Markup().join(edge.format(*points[u], *points[v]) for u, v in graph.edges())
    nodes = Markup().join(node.format(*point) for point in points)
    frame = Markup('<svg viewBox="0 0 {0:g} {0:g}" role="img"><title>{1}</title>{2}{3}</svg>')
    return frame.format(SIDE, code, edges, nodes)


def _draw_histogram(conjecture: Conjecture) -> Markup:
    """Return the bars of the slack, on a scale of logarithms: one bar often holds nearly all graphs."""
    heights = np.log1p([count for _, count in conjecture.histogram])
    heights *= (HEIGHT - 2) / max(float(heights.max()), 1e-9)
    width = WIDTH / len(heights)
    bar = Markup('<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>')
    bars = Markup().join(
        bar.format(place * width, HEIGHT - height, width - 2, height, f"≤ {end:g}: {count}")
        for place, (height, (end, count)) in enumerate(zip(heights.tolist(), conjecture.histogram, strict=True))
    )
    return Markup('<svg viewBox="0 0 {:g} {:g}" preserveAspectRatio="xMinYMid" role="img">{}</svg>').format(
        WIDTH, HEIGHT, bars
    )
