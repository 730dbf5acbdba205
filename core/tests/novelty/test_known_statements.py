"""Tokens of statements that another program had before: they are kept, and must be what they would be anew."""

import random
import sys
from itertools import pairwise
from threading import Thread

import pytest
from tree_sitter import Parser

from evograft.novelty import normalised_tokens
from evograft.novelty._python import PythonWalk
from evograft.novelty._python_expressions import python
from evograft.novelty._statements import Key, RecentStatements, Statement

STATEMENTS = (
    "def f(a, limit=2):\n    b = a * limit\n    return b",
    "def g(limit, name):\n    def inner(b):\n        return b + limit\n    return inner(name)",
    "class A:\n    def f(self, name):\n        total = name\n        return total",
    "f(1, limit=3)",
    "print(f'{b=} {name}')",
    "y = [b for b in range(3)]",
    "total = lambda b: b + 1",
    "import numpy as b",
    "if b:\n    def f(name): return name",
    "x = f.__doc__",
    "'''A text.'''",
    "match = b; total = 3",
    "\ntry:\n    x = 1\nexcept E as b:\n    print(b)",
    "global total",
    "for b, name in f(1): print(b, name)  # é",
    "def h(b):\n    exec('b')",
    "def broken(b:\n    return b",
)


def anew(source: str) -> tuple[str, ...]:
    """The tokens of a program, in one walk through all of it."""
    encoded = source.encode()
    return PythonWalk(encoded).tokens_of(Parser(python()).parse(encoded).root_node)


@pytest.mark.parametrize("seed", range(20))
def test_a_program_has_the_tokens_it_has_alone_whatever_came_before(seed):
    rng = random.Random(seed)
    for _ in range(20):
        program = "\n".join(rng.sample(STATEMENTS, rng.randrange(1, 8))) + "\n"
        assert normalised_tokens(program, "python") == anew(program)


def test_what_another_statement_does_decides_whether_a_local_keeps_its_name():
    function = "def f(a, limit=2):\n    return a * limit\n"
    alone = normalised_tokens(function, "python")
    called = normalised_tokens(f"{function}f(1, limit=3)\n", "python")
    printed = normalised_tokens(f"{function}print(f'{{a=}}')\n", "python")
    assert "limit" not in alone
    assert "limit" in called
    assert "a" in printed
    assert normalised_tokens(function, "python") == alone


def test_a_program_that_is_nested_too_deep_keeps_all_names_and_is_read_anew():
    deep = "def f(a):\n    return " + "lambda b: " * 300 + "a\n"
    program = f"def g(c): return c\n{deep}"
    assert "c" in normalised_tokens(program, "python")
    assert normalised_tokens(program, "python") == anew(program)
    assert "c" not in normalised_tokens("def g(c): return c\n", "python")


def test_only_so_much_text_is_kept_and_what_was_used_last_stays():
    statement = Statement((), frozenset(), frozenset(), frozenset(), frozenset())
    recent = RecentStatements(most=30)
    first, second, third = (Key(text * 10, 0, reads_docstrings=False) for text in (b"a", b"b", b"c"))
    for key in (first, second, third):
        recent.add(key, statement)
    assert recent.find(first)
    recent.add(Key(b"d" * 10, 0, reads_docstrings=False), statement)
    assert [recent.find(key) is not None for key in (first, second, third)] == [True, False, True]
    assert recent.size == 30
    recent.add(Key(b"e" * 31, 0, reads_docstrings=False), statement)
    assert recent.size == 0


def test_threads_that_read_the_same_statements_find_the_same_tokens():
    programs = [f"{one}\n{other}\n" for one, other in pairwise(STATEMENTS)]
    expected = [anew(program) for program in programs]
    found: list[list[tuple[str, ...]]] = []

    def read() -> None:
        found.append([normalised_tokens(program, "python") for program in programs * 5])

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert found == [expected * 5] * 4
