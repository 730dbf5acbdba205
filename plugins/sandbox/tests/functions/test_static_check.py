"""What the static check turns away, and what it must not."""

from __future__ import annotations

import threading

import pytest

from evograft_hookspecs import CandidateRejected
from evograft_sandbox.functions import check_source

MODULES = ("math", "numpy", "networkx", "scipy.sparse")

SOUND = [
    "import math\nimport numpy as np\nimport networkx as nx\ndef f(G):\n    return math.cosh(nx.density(G)) * np.mean([1])",
    "from math import sqrt, pi as tau\ndef f(x):\n    return sqrt(x) * tau",
    "from numpy.linalg import norm\nimport scipy.sparse\ndef f(x):\n    return norm(x)",
    "def f(x):\n    import math\n    return math.exp(-x)",
    "def f(x):\n    'Uses the cosine, os and sys are words here: {x}.'\n    osmosis = system = evaluate = x\n    return osmosis",
    "f = lambda x: x",
    "f: object = lambda x: x",
    "def g(x):\n    return [y for y in x if (z := y)]\ndef f(x):\n    try:\n        return g(x)[0]\n    except IndexError as err:\n        return 0",
    "def f(x):\n    total = {}\n    total['a'] = 1\n    del total['a']\n    def h():\n        nonlocal total\n        total = 2\n    h()\n    return f'{total:.3f}'",
    "def f(x):\n    match x:\n        case {'a': y, **rest}:\n            return y\n        case _:\n            return (i for i in range(3))",
    "from math import *\ndef f(x):\n    return sin(x)",
    "def f(G):\n    return sum(1 for _ in G.edges) if G.name != 'os.system' else 0",
    "from __future__ import annotations\ndef f(x: int) -> float:\n    return x",
    "def f(vars):\n    open, closed = vars\n    return [open for input in closed]",
]

REFUSED = [
    ("import os", "importing 'os'"),
    ("import math, subprocess", "importing 'subprocess'"),
    ("from os import path", "importing 'os'"),
    ("import scipy", "importing 'scipy'"),
    ("from . import math", "relative imports"),
    ("from numpy import os", "the name 'os'"),
    ("import math as sys", "the name 'sys'"),
    ("import numpy.os.path", "the name 'os'"),
    ("eval('1')", "the name 'eval'"),
    ("y = exec", "the name 'exec'"),
    ("open('/etc/passwd')", "the name 'open'"),
    ("open = np.open", "the name 'open'"),
    ("exec = 1", "the name 'exec'"),
    ("from __future__ import annotations as os", "'__future__'"),
    ("from __future__ import division", "'__future__'"),
    ("import __future__", "'__future__'"),
    ("np.os.system('x')", "the name 'os'"),
    ("np.core.sys", "the name 'sys'"),
    ("math._os.system('x')", "the name '_os'"),
    ("np.ctypeslib.ctypes", "the name 'ctypes'"),
    ("compile('1', '', 'eval')", "the name 'compile'"),
    ("globals()", "the name 'globals'"),
    ("vars(np)", "the name 'vars'"),
    ("getattr(np, 'x')", "the name 'getattr'"),
    ("breakpoint()", "the name 'breakpoint'"),
    ("__import__('os')", "the dunder name '__import__'"),
    ("().__class__.__base__.__subclasses__()", "the dunder name '__"),
    ("f.__globals__", "the dunder name '__globals__'"),
    ("def g(__builtins__): pass", "the dunder name '__builtins__'"),
    ("def __getattr__(name): pass", "the dunder name '__getattr__'"),
    ("g(__x__=1)", "the dunder name '__x__'"),
    ("match x:\n    case object(__class__=c): pass", "the dunder name '__class__'"),
    ("match x:\n    case [*__all__]: pass", "the dunder name '__all__'"),
    ("try: pass\nexcept E as __doc__: pass", "the dunder name '__doc__'"),
    ("'{0.__class__}'.format(x)", "format string"),
    ("('{0.__clo' + 'sure__}').format(x)", "format string filled by .format()"),
    ("y = str.format_map", "format string filled by .format_map()"),
    ("match x:\n    case str(format=y): pass", "format string filled by .format()"),
    ("f'{x.__class__}'", "the dunder name '__class__'"),
    ("(i for i in ()).gi_frame.f_back", "the name '"),
    ("np.mean = max", "assigning to the attribute 'mean'"),
    ("np.size += 1", "assigning to the attribute 'size'"),
    ("for np.mean in x: pass", "assigning to the attribute 'mean'"),
    ("del np.mean", "assigning to the attribute 'mean'"),
    ("x, (np.mean, *y) = z", "assigning to the attribute 'mean'"),
    ("async def g(): pass", "async functions"),
    ("class A: pass", "classes"),
    ("def g():\n    global x", "global statements"),
    ("def f(x", "SyntaxError: '(' was never closed (line 1)"),
    ("x = '\0'", "null bytes"),
    ("x = '\ud800'", "no text"),
    ("x = " + "9" * 5000, "SyntaxError: Exceeds the limit"),
    ("    return 1", "IndentationError: unexpected indent (line 1)"),
]

MONSTROUS = {
    "parentheses": "(" * 50_000 + ")" * 40_000,
    "brackets": "[" * 150 + "]" * 150,
    "unary operators": "-" * 90_000 + "1",
    "attributes": "x" + ".a" * 49_000,
    "sums": "1" + "+1" * 49_000,
    "powers": "1" + "**1" * 33_000,
    "calls": "f" + "()" * 49_000,
    "lambdas": "lambda:" * 14_000 + "1",
    "conditions": "1 if 1 else " * 8_000 + "1",
    "branches": "if x: pass\n" + "elif x: pass\n" * 7_000,
    "blocks": "".join(" " * depth + "if x:\n" for depth in range(99)) + " " * 99 + "pass",
    "negations": "not " * 24_000 + "x",
    "f-strings": "f'{" * 20_000,
    "comparisons": "x" + "<x" * 49_000,
    "subscripts": "x" + "[0]" * 33_000,
    "length": "x" * 100_001,
    "nothing but lines": "\n" * 99_999,
}


@pytest.mark.parametrize("source", SOUND)
def test_honest_sources_pass(source):
    check_source(source, modules=MODULES)


@pytest.mark.parametrize(("source", "reason"), REFUSED)
def test_what_no_candidate_needs_is_refused_with_a_reason(source, reason):
    with pytest.raises(CandidateRejected) as caught:
        check_source(source, modules=MODULES)
    assert reason in caught.value.reason
    assert "\n" not in caught.value.reason


def test_a_reason_names_the_line():
    with pytest.raises(CandidateRejected, match=r"importing 'os' is not allowed, only math \(line 3\)"):
        check_source("x = 1\n\nimport os", modules=["math"])


@pytest.mark.parametrize("name", MONSTROUS)
def test_monstrous_sources_do_not_crash_the_checker(name):
    outcome = []

    def check() -> None:
        try:
            check_source(MONSTROUS[name], modules=MODULES)
        except CandidateRejected as err:
            outcome.append(err.reason)
        else:
            outcome.append("")

    # A thread, as in the kernel: its stack may be smaller than the main thread's.
    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
    assert len(outcome) == 1


def test_the_function_must_be_there():
    check_source("def f(x):\n    return x", modules=(), function="f")
    check_source("try:\n    f = abs\nexcept ValueError:\n    def f(x): return x", modules=(), function="f")
    with pytest.raises(CandidateRejected, match="no function named 'g'"):
        check_source("def f(x):\n    def g(y): return y\n    return x", modules=(), function="g")
