"""The process that simplifies formulas: a JSON tree per line in, a JSON answer per line out.

Every formula gets a fork of its own, with bounds on CPU time and memory: `sympy.simplify` knows none.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from typing import Any

import sympy

CPU_SECONDS = 30
MEMORY = 4 << 30
SIGNED = frozenset({"degree_assortativity"})
"""Columns that may be negative."""

FUNCTIONS = {
    "sqrt": sympy.sqrt,
    "log": sympy.log,
    "log2": lambda x: sympy.log(x, 2),
    "log10": lambda x: sympy.log(x, 10),
    "log1p": lambda x: sympy.log(1 + x),
    "exp": sympy.exp,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "atan": sympy.atan,
    "arctan": sympy.atan,
    "abs": sympy.Abs,
    "fabs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    "neg": lambda x: -x,
    "where": sympy.Function("where"),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}


def main() -> None:
    warm_up()
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)  # noqa: T201 - the protocol


def warm_up() -> None:
    """Simplify a formula with a bit of everything: SymPy loads much of itself late, which each fork would repeat."""
    a, b, c = sympy.symbols("a b c", positive=True)
    simple = (a - 0.158) * b**-0.263 / sympy.sqrt(c) + sympy.Rational(1, 4)
    sympy.simplify(sympy.log(simple) / (1.05 - sympy.exp(a)) - sympy.Abs(b - 0.484) ** 0.5 * simple**2)


def _answer(tree: list[Any]) -> dict[str, str]:
    text = run_bounded(lambda: str(sympy.simplify(build_formula(tree))))
    return {"text": text or "", "why": "" if text else f"SymPy failed, or took more than {CPU_SECONDS} s of CPU"}


def run_bounded(work: Callable[[], str], *, cpu_seconds: int = CPU_SECONDS) -> str | None:
    """Do the work in a fork with bounds on CPU time and memory; return `None` if it fails or meets one."""
    read_fd, write_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work_and_exit(work, write_fd, cpu_seconds)
    os.close(write_fd)
    with os.fdopen(read_fd, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return text if os.waitstatus_to_exitcode(status) == 0 else None


def _work_and_exit(work: Callable[[], str], write_fd: int, cpu_seconds: int) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with os.fdopen(write_fd, "w", encoding="utf-8") as pipe:
            pipe.write(work())
        code = 0
    finally:
        os._exit(code)


def build_formula(tree: list[Any]) -> sympy.Expr:
    """Build SymPy's formula; decimal constants that are short fractions become exact."""
    operation, *arguments = tree
    if operation == "column":
        name = arguments[0]
        return sympy.Symbol(name, real=True) if name in SIGNED else sympy.Symbol(name, positive=True)
    if operation == "name":
        return sympy.Symbol(arguments[0], real=True)
    if operation == "constant":
        value = float(arguments[0])
        return sympy.Rational(value) if (value * 4).is_integer() and abs(value) < 2**53 else sympy.Float(repr(value))
    return FUNCTIONS[operation](*(build_formula(argument) for argument in arguments))


if __name__ == "__main__":
    main()
