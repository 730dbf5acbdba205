"""Small Python functions as values, the ways to write one down, and what that does to its fingerprint."""

from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from evograft_novelty import fingerprint
from evograft_novelty.sketch import sketch

LOCALS = 4
NAMES = ["a", "b", "total", "x1", "λ", "node_count", "i", "best", "tmp", "graph"]
GLOBALS = ["load", "score", "walk"]
OPERATORS = ["+", "-", "*", "//", "<", "and", "=="]


@dataclass(frozen=True)
class Expr:
    kind: str
    """`local`, `number`, `text`, `call`, or an operator."""
    value: object = None
    parts: tuple["Expr", ...] = ()


@dataclass(frozen=True)
class Stmt:
    kind: str
    """`assign`, `if`, `for`, or `return`."""
    local: int
    expr: Expr
    body: tuple["Stmt", ...] = ()


@dataclass(frozen=True)
class Style:
    """How somebody writes."""

    names: tuple[str, ...]
    indent: str
    comments: bool
    spaces: bool
    parentheses: bool
    quote: str
    trailing_comma: bool
    docstring: bool


def expressions():
    leaves = st.one_of(
        st.builds(Expr, st.just("local"), st.integers(0, LOCALS - 1)),
        st.builds(Expr, st.just("number"), st.integers(0, 5)),
        st.builds(Expr, st.just("text"), st.sampled_from(["", "a b", "é"])),
    )

    def larger(inner):
        pairs = st.tuples(inner, inner)
        return st.one_of(
            st.builds(Expr, st.sampled_from(OPERATORS), st.none(), pairs),
            st.builds(Expr, st.just("call"), st.sampled_from(GLOBALS), pairs),
        )

    return st.recursive(leaves, larger, max_leaves=6)


def statements():
    local = st.integers(0, LOCALS - 1)
    simple = st.builds(Stmt, st.sampled_from(["assign", "return"]), local, expressions())

    def larger(inner):
        body = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.builds(Stmt, st.sampled_from(["if", "for"]), local, expressions(), body)

    return st.recursive(simple, larger, max_leaves=8)


programs = st.lists(statements(), min_size=1, max_size=4).map(tuple)

styles = st.builds(
    Style,
    names=st.permutations(NAMES).map(lambda names: tuple(names[:LOCALS])),
    indent=st.sampled_from([" ", "  ", "    ", "\t"]),
    comments=st.booleans(),
    spaces=st.booleans(),
    parentheses=st.booleans(),
    quote=st.sampled_from(["'", '"', '"""', "'''"]),
    trailing_comma=st.booleans(),
    docstring=st.booleans(),
)


def written(program, style):
    """The program's text: a function whose parameters are all its locals."""
    comma = "," if style.trailing_comma else ""
    lines = [f"def main({', '.join(style.names)}{comma}):"]
    if style.docstring:
        lines.append(f'{style.indent}"""Says\n\n  something."""')
    lines += _block(program, style, style.indent)
    return "\n".join(lines) + "\n"


def _block(body, style, indent):
    lines = []
    for stmt in body:
        if style.comments:
            lines += ["", "# of no indentation", f"{indent}# before"]
        head = f"{indent}{_head(stmt, style)}"
        lines.append(head + ("  # behind" if style.comments else ""))
        lines += _block(stmt.body, style, indent + style.indent)
    return lines


def _head(stmt, style):
    expr, name = _text(stmt.expr, style), style.names[stmt.local]
    if style.parentheses:
        expr = f"({expr})"
    heads = {
        "assign": f"{name} = {expr}",
        "return": f"return {expr}",
        "if": f"if {expr}:",
        "for": f"for {name} in {expr}:",
    }
    return heads[stmt.kind]


def _text(expr, style):
    if expr.kind == "local":
        return style.names[expr.value]
    if expr.kind == "number":
        return str(expr.value)
    if expr.kind == "text":
        return f"{style.quote}{expr.value}{style.quote}"
    parts = [_text(part, style) for part in expr.parts]
    if expr.kind == "call":
        comma = "," if style.trailing_comma else ""
        break_ = "\n" if style.comments else " "
        return f"{expr.value}({parts[0]},{break_}{parts[1]}{comma})"
    # Nested operators always stand in parentheses: which ones may be left out is for the tables to say.
    left, right = (f"({text})" if part.parts else text for part, text in zip(expr.parts, parts, strict=True))
    space = " " if style.spaces or expr.kind.isalpha() else ""
    return f"{left}{space}{expr.kind}{space}{right}"


def changes(program):
    """All programs that differ from this one in one operator, literal, called function, local, or indentation."""
    for at, stmt in enumerate(program):
        before, after = program[:at], program[at + 1 :]
        if len(stmt.body) > 1:
            yield (*before, replace(stmt, body=stmt.body[:-1]), stmt.body[-1], *after)
        if stmt.kind in ("assign", "for"):
            yield (*before, replace(stmt, local=(stmt.local + 1) % LOCALS), *after)
        yield from ((*before, replace(stmt, expr=expr), *after) for expr in _changed(stmt.expr))
        yield from ((*before, replace(stmt, body=body), *after) for body in changes(stmt.body))


def _changed(expr):
    if expr.kind == "local":
        yield replace(expr, value=(expr.value + 1) % LOCALS)
    elif expr.kind == "number":
        yield replace(expr, value=expr.value + 1)
    elif expr.kind == "text":
        yield replace(expr, value=f"{expr.value}!")
    elif expr.kind == "call":
        yield replace(expr, value=GLOBALS[GLOBALS.index(expr.value) - 1])
    else:
        yield replace(expr, kind=OPERATORS[OPERATORS.index(expr.kind) - 1])
    for at, part in enumerate(expr.parts):
        for changed in _changed(part):
            yield replace(expr, parts=(*expr.parts[:at], changed, *expr.parts[at + 1 :]))


def fingerprint_of(source):
    return fingerprint({"main": source}, "python-function", "python")


@given(programs, styles, styles)
def test_how_a_program_is_written_does_not_change_its_fingerprint(program, style, other):
    one, two = written(program, style), written(program, other)
    compile(one, "one", "exec")
    assert fingerprint_of(one) == fingerprint_of(two)
    assert sketch({"main": one}, "python-function", "python") == sketch({"main": two}, "python-function", "python")


@given(programs, styles, st.data())
def test_any_change_of_an_operator_literal_call_local_or_indentation_does(program, style, data):
    changed = data.draw(st.sampled_from(list(changes(program))))
    assert fingerprint_of(written(program, style)) != fingerprint_of(written(changed, style))
