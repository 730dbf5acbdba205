"""An artifacts folder as an experiment leaves it, with all that a summary may say."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from pagereader import Page

from evograft_graph_invariant.reporting import write_report

KINDS = ("ER", "BA", "WS", "RGG", "SBM")
PROGRAM = "total = 0; for node in G: total += 1; return total"
"""Where a formula would stand: most tests need none to be typeset, which starts a process."""


class Folder:
    """Artifacts that a test changes before it asks for the report."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.summary: dict[str, Any] = _summary()
        self.events = [_event(number) for number in range(20)]

    def find_formulas(self) -> None:
        """Formulas in place of programs."""
        self.summary["best"] |= {
            "formula": "(1 - density) / sqrt(two_hop_share)",
            "simplified": "(1 - density)/sqrt(two_hop_share)",
        }
        for number, island in enumerate(self.summary["islands"]):
            island["elites"][0]["formula"] = f"sqrt(n) / (average_degree + {number})"

    def write(self, *, phase: int = 1) -> None:
        text = json.dumps({**self.summary, "phase": phase})
        (self.path / f"phase{phase}_summary.json").write_text(text, encoding="utf-8")
        lines = "".join(json.dumps(event) + "\n" for event in self.events)
        (self.path / "events.jsonl").write_text(lines, encoding="utf-8")

    def report(self, language: str = "en") -> tuple[str, Page]:
        """Markdown and page."""
        markdown, html = (path.read_text(encoding="utf-8") for path in write_report(self.path, language=language))
        return markdown, Page(html)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def _summary() -> dict[str, Any]:
    rng = random.Random(1)
    return {
        "schema_version": 3,
        "experiment_id": "aspl",
        "config": {"target": "average_shortest_path_length", "weights": {"alpha": 0.6}, "islands": [{"name": "local"}]},
        "master_seed": 244837814094590,
        "target": "average_shortest_path_length",
        "level": "spectrum",
        "generations_run": 3,
        "stop_reason": "all generations are done",
        "best": _best(rng),
        "islands": [_island(number) for number in range(4)],
        "fallbacks": [
            {"generation": 1, "island": 3, "kind": "constrained_on", "reason": "5 generations without a candidate"},
            {"generation": 2, "island": 3, "kind": "fallback_model", "dollars": 0.0123},
            {"generation": 3, "island": 3, "kind": "constrained_off", "reason": "a valid candidate"},
        ],
        "baselines": [
            {"name": "linear", "ran": True, "rho": {"validation": 0.97}},
            {"name": "operon", "ran": True, "is_symbolic_baseline": True, "formula": "log(n(G))", "ast_nodes": 8,
             "rho": {"validation": 0.98, "test": 0.97}, "answered": {"validation": 1.0, "test": 0.95}},
            {"name": "pysr", "ran": False, "reason": "Julia is not installed"},
        ],
        "success": True,
        "verdicts": {
            "success": {"holds": True, "why": "validation rho 0.99 >= 0.85"},
            "phase_two": {"holds": True, "why": "test rho 0.99 >= 0.8"},
            "strict": {"holds": None, "why": "an OOD set is missing"},
        },
        "data": [{"name": "train", "use": "screening", "graphs": 50, "nodes": [30, 100], "kinds": {"ER": 10}}],
        "map_points": [
            {"trial": number, "simplicity": rng.random(), "novelty": rng.random(),
             "novelty_given_target": rng.random(), "score": rng.random()}
            for number in range(40)
        ],
        "cost": {"calls": 400, "prompt_tokens": 81, "completion_tokens": 9, "dollars": 0.0123, "models": ["small"]},
        "run": {"id": "a1", "name": "graph-1", "folder": "/runs/graph-1", "seed": 1, "trials": 60, "seconds": 61.0},
    }  # fmt: skip


def _best(rng: random.Random) -> dict[str, Any]:
    score = {"graphs": 50, "answered": 1.0, "rho": -0.9912, "low": -0.9954, "high": -0.9821, "rmse": 0.1, "mae": 0.08}
    return {
        "trial": 41,
        "generation": 2,
        "island": 0,
        "operator": "graph_invariant.explore",
        "score": 0.77,
        "code": "def new_invariant(G):\n    return (1 - density(G)) / math.sqrt(two_hop_share(G))\n",
        "formula": PROGRAM,
        "simplified": PROGRAM,
        "train": score,
        "val": score,
        "test": score,
        "ood": {"large_random": {**score, "answered": 0.88}},
        "graphs": {"test": _graphs(rng), "special_topology": _graphs(rng, [f"graph {n}" for n in range(20)])},
        "simplicity": {"ast_nodes": 19, "sympy_length": 33, "value": 0.17},
        "novelty": 0.06,
        "novelty_plain": {
            "bonus": 0.06, "nearest": "algebraic_connectivity", "rho": 0.94, "low": 0.92, "high": 0.96, "is_new": False
        },
        "total": 0.64,
    }  # fmt: skip


def _graphs(rng: random.Random, kinds: list[str] | None = None) -> dict[str, Any]:
    families = [(kinds or KINDS)[number % len(kinds or KINDS)] for number in range(20)]
    true = [rng.uniform(1.5, 4.5) for _ in families]
    predicted: list[float | None] = [value + rng.gauss(0, 0.1) for value in true]
    predicted[3] = None
    return {"families": families, "nodes": [40] * 20, "true": true, "predicted": predicted}


def _island(number: int) -> dict[str, Any]:
    elite = {"trial": 30 + number, "score": 0.7, "ast_nodes": 12, "formula": f"{PROGRAM} + {number}"}
    bests = [None, 0.5, 0.6 + number / 100, 0.7]
    return {"number": number, "name": f"island{number}", "strategy": "refine", "temperature": 0.3,
            "elites": [elite], "best_by_generation": bests}  # fmt: skip


def _event(number: int) -> dict[str, Any]:
    failed = number % 4 == 3
    return {"generation": number // 8, "island": number % 4, "prompt": "p", "llm_response": "r",
            "status": "rejected" if failed else "success", "error": "no finite value" if failed else None}  # fmt: skip
