"""The simplicity of a candidate: the size of its syntax tree, and the length of its formula after SymPy."""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import threading
from dataclasses import dataclass

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.formulas.sympy_tree import Tree, tree_of_expr, tree_of_expression
from evograft_graph_invariant.options import Weights

LARGEST = 150
"""Formulas of more AST nodes are not given to SymPy, whose simplification may never end. A bound on size, unlike one
on time, is met by the same formulas on every machine; the child's bound on CPU time is far above it."""


@dataclass(frozen=True)
class Simplified:
    """A formula as SymPy writes it."""

    text: str
    note: str = ""
    """Why the text is not simplified; empty if it is."""

    @property
    def length(self) -> int:
        return len(self.text)


def compute_simplicity(ast_nodes: int, sympy_length: int, weights: Weights) -> float:
    """In [0, 1], higher is simpler."""
    return weights.w1 * _share(ast_nodes) + weights.w2 * _share(sympy_length)


def simplicity_of_nodes(ast_nodes: int) -> float:
    """Return the part that needs no SymPy as if it were all: quick enough for every candidate of a search."""
    return _share(ast_nodes)


def _share(size: int) -> float:
    return 1.0 / (1.0 + math.log2(max(size, 1)))


def format_formula(expr: Expr) -> str:
    """Write the formula in one line, columns without their argument."""
    return _written(expr, 0)


_PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


def _written(expr: Expr, outer: int) -> str:
    match expr.operation:
        case "column":
            return expr.name
        case "constant":
            return _enclosed(f"{expr.value:.6g}", within=expr.value < 0 and outer > 0)
        case "neg":
            return _enclosed(f"-{_written(expr.arguments[0], 3)}", within=outer > 1)
        case "+" | "-" | "*" | "/" | "**" as operator:
            own = _PRIORITY[operator]
            left = _written(expr.arguments[0], own + (operator == "**"))
            right = _written(expr.arguments[1], own + (operator not in ("+", "**")))
            space = "" if operator == "**" else " "
            return _enclosed(f"{left}{space}{operator}{space}{right}", within=own < outer)
    arguments = ", ".join(_written(argument, 0) for argument in expr.arguments)
    return f"{expr.operation.rpartition('.')[2]}({arguments})"


def _enclosed(text: str, *, within: bool) -> str:
    return f"({text})" if within else text


class Simplifier:
    """Asks a child process, which is started with the first question; safe to be called from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, Simplified] = {}
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None

    def simplify(self, program: CandidateProgram) -> Simplified:
        """Simplify the whole function, inlined; a program that is not a single expression keeps its own text."""
        found = _tree_and_text(program)
        if found is None:
            return Simplified(program.inlined.text, f"not simplified; {program.inlined.note}")
        tree, text = found
        if program.ast_nodes > LARGEST:
            return Simplified(text, f"not simplified: more than {LARGEST} nodes")
        with self._lock:
            if text not in self._known:
                self._known[text] = self._ask(tree, text)
            return self._known[text]

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                with contextlib.suppress(OSError):
                    pipe.close() if pipe else None
            self._child = None

    def _ask(self, tree: Tree, text: str) -> Simplified:
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(json.dumps(tree) + "\n")
            child.stdin.flush()
            answer = json.loads(child.stdout.readline())
        except (OSError, ValueError):
            return Simplified(text, "not simplified: SymPy's process ended")
        return Simplified(answer["text"]) if answer["text"] else Simplified(text, f"not simplified: {answer['why']}")

    def _started(self) -> subprocess.Popen[str]:
        if self._child is not None and self._child.poll() is not None:
            self._end()
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "evograft_graph_invariant.formulas.sympy_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # SymPy orders terms by hash.
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )
        return self._child


def _tree_and_text(program: CandidateProgram) -> tuple[Tree, str] | None:
    """Return what is to be simplified; `None` for a program that is not a single expression."""
    if program.formula is not None:
        return tree_of_expr(program.formula), format_formula(program.formula)
    expression = program.inlined.expression
    return None if expression is None else (tree_of_expression(expression), program.inlined.text)
