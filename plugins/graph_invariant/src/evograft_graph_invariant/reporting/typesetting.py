"""Formulas as LaTeX to copy and as MathML to read, which browsers show without a script or a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evograft.text.escapes import escape_controls
from evograft_graph_invariant.formulas.sympy_tree import Tree
from evograft_graph_invariant.reporting.formula_text import tree_of_text

SECONDS = 120
"""Wall time for all formulas of a report, far above the child's own bounds on CPU."""
MOST = 12
"""Formulas of one report."""
LONGEST = 4000
"""Characters of LaTeX that are of use to anybody."""


@dataclass(frozen=True)
class Typeset:
    """A formula for people."""

    latex: str
    mathml: Markup


def typeset(formulas: Sequence[str]) -> dict[str, Typeset]:
    """Typeset the formulas that can be typeset, by their text; of many the first ones."""
    trees = {
        text: tree for text in dict.fromkeys(formulas) if (tree := tree_of_text(escape_controls(text))) is not None
    }
    asked = dict(list(trees.items())[:MOST])
    try:
        answers = _ask(list(asked.values())) if asked else []
    except subprocess.SubprocessError:  # the process was killed, or found no memory: texts are better than no report
        return {}
    return {
        text: Typeset(answer["latex"], Markup(answer["mathml"]))  # noqa: S704 - our own child escapes all names
        for text, answer in zip(asked, answers, strict=False)
        if answer is not None and len(answer["latex"]) <= LONGEST
    }


def _ask(trees: list[Tree]) -> list[dict[str, str] | None]:
    child = subprocess.run(
        [sys.executable, "-m", "evograft_graph_invariant.reporting.typesetting_worker"],
        input=json.dumps(trees),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
        # SymPy orders terms by hash.
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    answers: list[dict[str, str] | None] = json.loads(child.stdout)
    return answers
