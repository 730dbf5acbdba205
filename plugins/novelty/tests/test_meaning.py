"""Programs of one fingerprint are one program to their language: many small changes to a program are compared."""

import ast
import re
import shutil
import subprocess
from collections import defaultdict

import pytest

from evograft_novelty import fingerprint
from evograft_novelty.sketch import sketch

PYTHON = [
    'def f(x):\n    """Says."""\n    return f"{x}" f"{x = !r:>{x}} a"\n',
    "def f(a, *, b=1):\n    with a as (c, d), b as e:\n        c.d[0], *e = yield a\n",
    "class A(B):\n    x: int = 1_0\n    @a.b(c)\n    @d\n    def f(self): return super().f\n",
    "match x:\n    case A(b, c=d) | [1, *_]: pass\n    case {'a': -1, **r} if r: f(r)\n",
    "x = a[1:2, ::3], {**c, 'd': .5}, (*g,), not h, -i ** -j\n",
    "if a:\n    for i, (j, k) in x:\n        if b: break\nelif c: y\nelse:\n    z\n",
    "del a, (b, c), [d]\nassert a, b\nx = y = lambda *a: (a, 1)\nx @= r'a' 'b'\n",
    "from . import (a as b, c)\nx = [i for i in a if b], {k: v for k, v in e}\n",
]
CPP = [
    "#define A(x) (x) + 1\n#define B -1\nint x; int f() { return A(2) * (x - B); }\n",
    "#define S(x) #x\nconst char* f() { return S(a + 1); }\nint g() { return -1; }\n",
    "int f(int n) { int s = 0; for (int i = 0; i < n; ++i) if (i % 2) s += i; else s -= -1; return (s); }\n",
]
PIECES = [
    "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "=", "-", "*", "@", " if ", " else ", " in ", " not ", " pass ", " 1 ", "''", 'f"{x}"',
    "'''d'''", " int ", "\n", "\n    ", "\\\n", " ",
]  # fmt: skip
WORD = re.compile(r"""[rf]?"[^"\n]*"|r?'[^'\n]*'|\w+|\s+|.""")


def changed(program):
    """The program, and all that are made of it by leaving out, putting in or putting in parentheses one thing or two."""
    words = WORD.findall(program)
    yield program
    for at, word in enumerate(words):
        before, after = words[:at], words[at + 1 :]
        if not word.isspace():  # two words that become one are another name, and locals have none
            yield "".join(before + after)
        yield from ("".join([*before, piece, word, *after]) for piece in PIECES)
        for length in range(4):
            yield "".join([*before, "(", word, *after[:length], ")", *after[length:]])


def alike(program, language):
    """The changed programs, in groups of one fingerprint."""
    groups = defaultdict(set)
    for each in changed(program):
        groups[fingerprint({"main": each}, "k", language)].add(each)
    return [sorted(group) for group in groups.values() if len(group) > 1]


class WithoutNotes(ast.NodeTransformer):
    """Takes away strings that stand for themselves, and `pass`."""

    def generic_visit(self, node):
        for block in ("body", "orelse", "finalbody"):
            if isinstance(statements := getattr(node, block, None), list):
                setattr(node, block, [each for each in statements if not self.is_note(each)])
        return super().generic_visit(node)

    def is_note(self, node):
        text = node.value if isinstance(node, ast.Expr) else None
        is_text = isinstance(text, ast.Constant) and isinstance(text.value, str)
        is_format = isinstance(text, ast.JoinedStr) and all(isinstance(part, ast.Constant) for part in text.values)
        return isinstance(node, ast.Pass) or is_text or is_format


def meaning_of_python(program):
    try:
        return ast.dump(WithoutNotes().visit(ast.parse(program)))
    except SyntaxError:
        return None


def macros_of_cpp(program):
    """What the preprocessor makes of it, apart from brackets, which a program may have more of or fewer."""
    command = ["g++", "-std=c++20", "-w", "-E", "-P", "-x", "c++", "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    return re.findall(r'"[^"]*"|[^\s(){}]', done.stdout) if done.returncode == 0 else None


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("program", PYTHON)
def test_python_programs_of_one_fingerprint_have_one_tree_and_one_sketch(program):
    for group in alike(program, "python"):
        assert len({meaning_of_python(each) for each in group} - {None}) <= 1, group
        assert len({sketch({"main": each}, "k", "python") for each in group}) == 1, group


@pytest.mark.parametrize("program", CPP)
def test_cpp_programs_of_one_fingerprint_have_one_sketch(program):
    for group in alike(program, "cpp"):
        assert len({sketch({"main": each}, "k", "cpp") for each in group}) == 1, group


@pytest.mark.skipif(not shutil.which("g++"), reason="install g++")
@pytest.mark.parametrize("program", CPP[:2])
def test_cpp_programs_of_one_fingerprint_are_one_to_the_preprocessor(program):
    for group in alike(program, "cpp"):
        few = {re.sub(r" +", "", each): each for each in group}
        made = [macros_of_cpp(each) for each in few.values()]
        assert len({tuple(each) for each in made if each is not None}) <= 1, group
