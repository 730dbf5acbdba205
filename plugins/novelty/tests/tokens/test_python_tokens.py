"""Which two Python programs are one, and which are two."""

import pytest

from evograft_novelty import normalise_tokens
from evograft_novelty.sketch import sketch

SAME = {
    "comments do not count": ("x = 1  # one\n# two\ny = 2\n", "x = 1\ny = 2\n"),
    "docstrings are comments": (
        '"""A module."""\nclass A:\n    """A class."""\n    def f(self):\n        """A method."""\n        return 1\n',
        "class A:\n    def f(self):\n        return 1\n",
    ),
    "a function of nothing but a docstring does nothing": ('def f():\n    """Later."""\n', "def f():\n    pass\n"),
    "blank lines and spaces do not count": ("x=1\n\n\n\ny  =  f( x,2 )", "x = 1\ny = f(x, 2)\n"),
    "how far blocks are indented does not count": ("if x:\n  f()\n  g()\n", "if x:\n\tf()\n\tg()\n"),
    "line ends of Windows do not count": ("if x:\r\n    f()\r\ng()\r\n", "if x:\n    f()\ng()\n"),
    "a byte order mark does not count": ("\ufeffx = 1\n", "x = 1\n"),
    "a block may stand on its head's line": ("if x: f(); g()\n", "if x:\n    f()\n    g()\n"),
    "a call may be spread over lines, with a comma at the end": ("f(a, b)\n", "f(\n    a,\n    b,\n)\n"),
    "a list may end in a comma": ("x = [1, 2]\n", "x = [\n    1,\n    2,\n]\n"),
    "parameters may end in a comma": ("def f(a, b): return a\n", "def f(\n    a,\n    b,\n):\n    return a\n"),
    "a subscript of two may end in a comma": ("x[1, 2]\n", "x[1, 2,]\n"),
    "an import may stand in parentheses": ("from a import b, c\n", "from a import (\n    b,\n    c,\n)\n"),
    "a line may be continued": ("x = 1 + \\\n    2\n", "x = 1 + 2\n"),
    "parentheses around a whole value do not count": ("x = (1)\nif (x): y = (x + 1)\n", "x = 1\nif x: y = x + 1\n"),
    "parentheses that say what is so anyway do not count": ("x = (a * b) + c\n", "x = a * b + c\n"),
    "a returned tuple may stand in parentheses": ("def f(a): return (a, 1)\n", "def f(a): return a, 1\n"),
    "an unpacked tuple may stand in parentheses": ("(a, b) = f()\n", "a, b = f()\n"),
    "a loop's targets may stand in parentheses": ("for (i, j) in x: f(i)\n", "for i, j in x: f(i)\n"),
    "with may have parentheses": (
        "with (a() as x, b() as y): f()\n",
        "with a() as x, b() as y:\n    f()\n",
    ),
    "a class may have empty parentheses": ("class A(): x = 1\n", "class A:\n    x = 1\n"),
    "one kind of quotes is as good as another": ("x = 'a'\n", 'x = "a"\n'),
    "quotes inside need no backslash in the other kind": ("x = 'it\\'s'\n", 'x = "it\'s"\n'),
    "a string's prefix has no case": ("x = F'{a}' + B'b'\n", 'x = f"{a}" + b"b"\n'),
    "a string of one line may have three quotes": ('x = """a"""\n', "x = 'a'\n"),
    "a number's letters have no case": ("x = 0XFF + 1E5\n", "x = 0xff + 1e5\n"),
    "a number may have underscores": ("x = 1_000\n", "x = 1000\n"),
    "parameters have no names": ("def f(a, b=1): return a - b\n", "def f(x, y=1): return x - y\n"),
    "locals have no names": (
        "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n",
        "def f(k):\n    s = 0\n    for j in range(k):\n        s += j\n    return s\n",
    ),
    "names are bound by with, except, walrus, and import as stays": (
        "def f():\n    with g() as a:\n        pass\n    try:\n        pass\n    except E as b:\n        h(b)\n    if (c := g()): h(a, c)\n",
        "def f():\n    with g() as x:\n        pass\n    try:\n        pass\n    except E as y:\n        h(y)\n    if (z := g()): h(x, z)\n",
    ),
    "names are bound by patterns": (
        "def f(p):\n    match p:\n        case [a, *b]: return g(a, b)\n        case {'k': c, **d}: return g(c, d)\n        case P(x=e) as q: return g(e, q)\n",
        "def f(o):\n    match o:\n        case [i, *j]: return g(i, j)\n        case {'k': k, **m}: return g(k, m)\n        case P(x=n) as r: return g(n, r)\n",
    ),
    "a comprehension's names are its own, even in a module": ("x = [a for a in y]\n", "x = [b for b in y]\n"),
    "a lambda's parameters have no names": ("f = lambda a, *b: (b, a)\n", "f = lambda x, *y: (y, x)\n"),
    "a nested function has no name": (
        "def f(a):\n    def g(b):\n        return a + b\n    return g\n",
        "def f(x):\n    def inner(y):\n        return x + y\n    return inner\n",
    ),
    "a name that is assigned later is a local before": (
        "def f(c):\n    if c:\n        print(x)\n    x = 1\n",
        "def f(c):\n    if c:\n        print(y)\n    y = 1\n",
    ),
    "a local may hide a global": (
        "x = 1\ndef f():\n    x = 2\n    return x\ndef g(): return x\n",
        "x = 1\ndef f():\n    y = 2\n    return y\ndef g(): return x\n",
    ),
    "a nonlocal is the local of the function around": (
        "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g()\n    return n\n",
        "def f():\n    m = 0\n    def g():\n        nonlocal m\n        m += 1\n    g()\n    return m\n",
    ),
    "the first source of a comprehension is outside of it": (
        "def f(x): return [x for x in x]\n",
        "def f(y): return [x for x in y]\n",
    ),
    "a default is evaluated outside of the function": (
        "def f(n):\n    def g(n=n): return n\n    return g\n",
        "def f(n):\n    def g(m=n): return m\n    return g\n",
    ),
    "a method looks past its class": (
        "def f(x):\n    class A:\n        x = 1\n        def g(self): return x\n    return A\n",
        "def f(y):\n    class B:\n        x = 1\n        def g(this): return y\n    return B\n",
    ),
    "names in an f-string are names": ('def f(a): return f"{a!r:>5} a"\n', 'def f(b): return f"{b!r:>5} a"\n'),
    "names may be of any script": ("def f(λ): return λ * 2\n", "def f(x): return x * 2\n"),
    "self is a parameter": ("class A:\n    def f(self): return self.x\n", "class A:\n    def f(s): return s.x\n"),
    "semicolons are line ends": ("a = 1; b = 2;\n", "a = 1\nb = 2\n"),
    "a line may be continued anywhere": (
        "x = a. \\\n    b \\\n    .c(d, \\\n    ), e, \\\n\ny = 1\n",
        "x = a.b.c(d), e,\ny = 1\n",
    ),
    "a line may end in brackets": (
        "from a import (\n    b,\n    c\n)\nx = f(\n  1\n)[\n  2\n]\n",
        "from a import b, c\nx = f(1)[2]\n",
    ),
}

DIFFERENT = {
    "an operator counts": ("x = a + b\n", "x = a - b\n"),
    "a literal counts": ("x = 1\n", "x = 2\n"),
    "a string counts": ("x = 'a'\n", "x = 'b'\n"),
    "spaces in a string count": ("x = 'a b'\n", "x = 'a  b'\n"),
    "a raw string is not a plain one": ("x = r'\\n'\n", "x = '\\n'\n"),
    "an escaped backslash is no escaped quote": ("x = '\\\\\\''\n", "x = '\\\\\\\\'\n"),
    "text in an f-string counts": ("def f(a): return f'{a} x'\n", "def f(a): return f'{a} y'\n"),
    "a format counts": ("def f(a): return f'{a:.2f}'\n", "def f(a): return f'{a:.3f}'\n"),
    "a called function counts": ("def f(a): return g(a)\n", "def f(a): return h(a)\n"),
    "an attribute counts": ("def f(a): return a.x\n", "def f(a): return a.y\n"),
    "an import counts": ("import a\n", "import b\n"),
    "a function's name counts": ("def f(): return 1\n", "def g(): return 1\n"),
    "a global's name counts": ("x = 1\ny = x\n", "z = 1\ny = z\n"),
    "a class attribute counts": ("class A:\n    x = 1\n", "class A:\n    y = 1\n"),
    "a keyword of a call counts": ("f(a=1)\n", "f(b=1)\n"),
    "a keyword counts": ("def f():\n    while g(): break\n", "def f():\n    while g(): continue\n"),
    "the order of two parameters counts": ("def f(a, b): return a - b\n", "def f(a, b): return b - a\n"),
    "two locals that are swapped in one place count": (
        "def f(a, b):\n    c = a\n    return c - b\n",
        "def f(a, b):\n    c = b\n    return c - a\n",
    ),
    "two locals are not one": ("def f(a):\n    b = a\n    return a\n", "def f(a):\n    a = a\n    return a\n"),
    "a global is not a local": ("def f():\n    global x\n    x = 1\n", "def f():\n    x = 1\n"),
    "which global counts, in a nested function too": (
        "def f():\n    def g():\n        global x\n        x = 1\n",
        "def f():\n    def g():\n        global y\n        y = 1\n",
    ),
    "a hidden name is not the name that hides it": (
        "def f(x):\n    y = 1\n    return [x for x in y]\n",
        "def f(x):\n    y = 1\n    return [x for z in y]\n",
    ),
    "a local import keeps its name": (
        "def f():\n    import a as x\n    return x\n",
        "def f():\n    import b as x\n    return x\n",
    ),
    "a name that is imported in one branch is not any local": (
        "def f(c):\n    import np\n    if c: np = 3\n    return np\n",
        "def f(c):\n    import np\n    if c: q = 3\n    return q\n",
    ),
    "a statement inside a block is not one behind it": (
        "if a:\n    f()\n    g()\n",
        "if a:\n    f()\ng()\n",
    ),
    "a statement at the end of one block is not one of the block around": (
        "for a in b:\n    if a:\n        f()\n        g()\n",
        "for a in b:\n    if a:\n        f()\n    g()\n",
    ),
    "an else belongs to its if": (
        "if a:\n    if b:\n        f()\n    else:\n        g()\n",
        "if a:\n    if b:\n        f()\nelse:\n    g()\n",
    ),
    "two statements are not one": ("f\n(g)\n", "f(g)\n"),
    "two statements are not a difference": ("f\n-g\n", "f - g\n"),
    "parentheses that change the order count": ("x = a * (b + c)\n", "x = a * b + c\n"),
    "parentheses that change the order of equals count": ("x = a - (b - c)\n", "x = a - b - c\n"),
    "a chain is no comparison of a comparison": ("x = a < b < c\n", "x = (a < b) < c\n"),
    "a lambda that is called is not a lambda that calls": ("x = (lambda: f)()\n", "x = lambda: f()\n"),
    "an awaited item is not an item that is awaited": (
        "async def f(): return (await g)[0]\n",
        "async def f(): return await g[0]\n",
    ),
    "minus a power is not a power of minus": ("x = (-a) ** 2\n", "x = -a ** 2\n"),
    "a tuple of one is not its item": ("x = (a,)\n", "x = (a)\n"),
    "a returned tuple of one is not its item": ("def f(a): return a,\n", "def f(a): return a\n"),
    "an item of a tuple is not an item": ("x[1,]\n", "x[1]\n"),
    "a tuple that is passed is not two arguments": ("f((a, b))\n", "f(a, b)\n"),
    "a tuple in a tuple counts": ("def f(a): return a, (a, 1)\n", "def f(a): return a, a, 1\n"),
    "nested targets count": ("for i, (j, k) in x: f(i)\n", "for i, j, k in x: f(i)\n"),
    "an empty tuple is something": ("def f(): return ()\n", "def f(): return\n"),
    "an asserted tuple is not an assertion with a message": ("assert (a, b)\n", "assert a, b\n"),
    "an annotation counts": ("def f(a: int): return a\n", "def f(a: str): return a\n"),
    "a decorator counts": ("@a\ndef f(): return 1\n", "@b\ndef f(): return 1\n"),
    "a value that is matched is not a name that is bound": (
        "def f(p):\n    match p:\n        case A.b: return 1\n",
        "def f(p):\n    match p:\n        case b: return 1\n",
    ),
    "a name that is printed by an f-string counts": (
        "def f(a): return f'{a=}'\n",
        "def f(b): return f'{b=}'\n",
    ),
    "a parameter that is passed by keyword counts": (
        "def f(a): return a\nf(a=1)\n",
        "def f(b): return b\nf(a=1)\n",
    ),
    "locals that are read by name count": (
        "def f(a): return locals()['a']\n",
        "def f(b): return locals()['a']\n",
    ),
    "docstrings that are read count": (
        "def f():\n    'a'\n    return f.__doc__\n",
        "def f():\n    'b'\n    return f.__doc__\n",
    ),
    "what an f-string prints up to an equals sign counts": ("x = f'{a = }'\n", "x = f'{a=}'\n"),
    "an f-string of nothing but a value is not a set": ("def f(x): return f'{x}'\n", "def f(x): return {x}\n"),
    "a raw string of a continued line is not empty": ("x = r'\\\n'\n", "x = r''\n"),
    "an empty tuple with a comment is something": ("f((  # none\n))\n", "f()\n"),
    "the class of a pattern counts": (
        "def f(p):\n    match p:\n        case A(x=a): return a\n",
        "def f(p):\n    match p:\n        case B(x=a): return a\n",
    ),
    "an annotation that is not remembered counts": ("class A:\n    x: int = 1\n", "class A:\n    (x): int = 1\n"),
    "two decorators are not a product": ("@a\n@b\ndef f(): return 1\n", "@a @ b\ndef f(): return 1\n"),
    "a line that ends after a comma ends a statement": ("a,\nb = f()\n", "a, b = f()\n"),
    "a line that ends after an operator ends a program": ("x = a +\\\n    b\n", "x = a +\n    b\n"),
    "a program that is indented as a whole is none": ("    def f(): return 1\n", "def f(): return 1\n"),
    "a block that is not aligned is none": (
        "if a:\n    if b:\n        f()\n    g()\n",
        "if a:\n    if b:\n        f()\n   g()\n",
    ),
    "tabs and spaces are not one indentation": ("if a:\n        f()\n        g()\n", "if a:\n        f()\n\tg()\n"),
    "a parameter in parentheses is none": ("def f(a): return a\n", "def f((a)): return a\n"),
    "a comma alone is no argument": ("f()\n", "f(,)\n"),
    "a number that only the grammar takes for one counts as it is": ("x = 10\n", "x = 1__0\n"),
    "a broken program is not the whole one": ("def f(a): return (a\n", "def f(a): return (a)\n"),
    "a broken part counts as it is": ("x = 1\n)) a b\n", "x = 1\n)) a c\n"),
    "names of a broken part are not exchanged elsewhere": (
        "def f(a, b):\n    a +* a b\n    return a\n",
        "def f(b, a):\n    a +* a b\n    return b\n",
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_one_program(one, other):
    assert normalise_tokens(one, "python") == normalise_tokens(other, "python")
    assert sketch({"main": one}, "k", "python") == sketch({"main": other}, "k", "python")


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_two_programs(one, other):
    assert normalise_tokens(one, "python") != normalise_tokens(other, "python")


def test_locals_are_numbered_anew_in_each_function_so_that_a_change_in_one_leaves_the_other_alone():
    two = "def f(a): return a\ndef g(b): return b\n"
    more = "def f(a, c): return a + c\ndef g(b): return b\n"
    assert normalise_tokens(two, "python")[-12:] == normalise_tokens(more, "python")[-12:]


def test_a_program_says_what_it_is_without_its_names():
    source = "def f(graph, k=2):\n    best = max(graph.nodes)  # the last\n    return best ** k\n"
    told = (
        "def f ( <0> , <1> = 2 ) : <indent> <2> = max ( <0> . nodes ) <newline> return <2> ** <1> <newline> "
        "<dedent> <newline>"
    )
    assert " ".join(normalise_tokens(source, "python")) == told
