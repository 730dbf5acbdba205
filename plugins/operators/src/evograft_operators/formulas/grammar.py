"""The formulas a problem allows: reading them, writing them as programs, and drawing random ones."""

from __future__ import annotations

import ast
import math
import random
from functools import lru_cache

from evograft_hookspecs import CandidateRejected, ExpressionGrammar
from evograft_operators.formulas.expression import FormulaExpression, binary, call, constant, leaf, power

EXPONENTS = (2.0, 3.0, 0.5, -1.0, -2.0, -0.5)
"""What `**` is offered with. Other constant exponents are read, up to `LARGEST_EXPONENT`."""

LARGEST_EXPONENT = 10.0

UNARY = 0.35
"""How often a new operation is a function or power of one expression, where arithmetic is offered too."""

SYMBOLS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
READING_ERRORS = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)
"""What `ast` raises for text that is not a program, or one nested too deeply to be handled."""


class Grammar:
    """An `ExpressionGrammar` made ready: its terminals and functions parsed once."""

    def __init__(self, spec: ExpressionGrammar) -> None:
        self.spec = spec
        self.terminals = {text: _terminal(text) for text in map(_normal, spec.terminals)}
        self.functions = {text: 1 + _count_nodes(text) for text in map(_normal, spec.functions)}
        """Name to the AST nodes of a call without its argument."""
        self.binaries = tuple(operator for operator in spec.operators if operator != "**")
        self.unaries = (*self.functions, *(("**",) if "**" in spec.operators else ()))
        self._small = tuple(leaf for leaf in self.terminals.values() if leaf.nodes <= spec.max_nodes)

    # -- reading and writing ------------------------------------------------------------------------------------------

    def program(self, expression: FormulaExpression) -> str:
        """Return the candidate's text."""
        return f"def {self.spec.function}({self.spec.argument}):\n    return {expression.text}\n"

    def parse(self, source: str) -> FormulaExpression:
        """Read a candidate: one function with one return; a docstring and imports next to it are passed over.

        Raises:
            CandidateRejected: it is not such a program, or not in the grammar.
        """
        return _parse(self, source)

    def read(self, node: ast.expr, text: bytes) -> FormulaExpression:
        """Read a syntax tree.

        Args:
            node: the tree.
            text: the line that it was parsed from, normally written.

        Raises:
            CandidateRejected: naming the part that is not in the grammar.
        """
        here = text[node.col_offset : node.end_col_offset].decode()
        if here in self.terminals:
            return self.terminals[here]
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return constant(float(value))
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign):
                operand = self.read(node.operand, text)
                return operand if isinstance(sign, ast.UAdd) else self._negative(operand)
            case ast.BinOp(op=ast.Pow()) if "**" in self.unaries:
                return self._power(self.read(node.left, text), self.read(node.right, text))
            case ast.BinOp() if (symbol := SYMBOLS.get(type(node.op))) in self.binaries:
                return binary(symbol, self.read(node.left, text), self.read(node.right, text))
            case ast.Call(args=[argument], keywords=[]):
                function = ast.unparse(node.func)
                if function in self.functions:
                    return self.call(function, self.read(argument, text))
        raise CandidateRejected(f"{here!r} is not in the problem's grammar")

    def call(self, function: str, argument: FormulaExpression) -> FormulaExpression:
        return call(function, argument, own=self.functions[function])

    def _negative(self, operand: FormulaExpression) -> FormulaExpression:
        if operand.kind == "constant":
            return constant(-operand.value)
        if "-" in self.binaries:
            return binary("-", constant(0.0), operand)
        raise CandidateRejected(f"'-{operand.text}' is not in the problem's grammar")

    def _power(self, base: FormulaExpression, exponent: FormulaExpression) -> FormulaExpression:
        if exponent.kind != "constant" or abs(exponent.value) > LARGEST_EXPONENT:
            raise CandidateRejected(f"the exponent {exponent.text!r} is no constant up to {LARGEST_EXPONENT:g}")
        return power(base, exponent.value)

    # -- random expressions -------------------------------------------------------------------------------------------

    def draw(self, rng: random.Random, depth: int) -> FormulaExpression:
        """Return a random expression at most `depth` operations deep and within the grammar's size.

        Half of all trees are full, half stop growing anywhere: a mixture of shapes that is usual for first populations.
        """
        full = rng.random() < 0.5  # noqa: PLR2004
        for height in range(depth, 0, -1):
            expression = self._draw_operation(rng, height, full=full)
            if expression.nodes <= self.spec.max_nodes:
                return expression
        return self.draw_leaf(rng)

    def draw_leaf(self, rng: random.Random, *, constants: float = 0.15) -> FormulaExpression:
        """Return a random terminal, or with probability `constants` a number."""
        if self._small and rng.random() >= constants:
            return rng.choice(self._small)
        return self.draw_constant(rng)

    def draw_constant(self, rng: random.Random) -> FormulaExpression:
        """Return a number from the grammar's range with one to three digits, as people would write it."""
        low, high = sorted(self.spec.constants)
        value = round_constant(rng.uniform(low, high), digits=rng.randint(1, 3))
        return constant(min(max(value, low), high))

    def wrap(self, rng: random.Random, inner: FormulaExpression, other: FormulaExpression) -> FormulaExpression:
        """Return an operation on an expression: a function of it, a power of it, or arithmetic with another one."""
        if self.unaries and (not self.binaries or rng.random() < UNARY):
            return self.draw_unary(rng, inner)
        if not self.binaries:
            return inner
        left, right = rng.sample((inner, other), 2)
        return binary(rng.choice(self.binaries), left, right)

    def draw_unary(self, rng: random.Random, argument: FormulaExpression) -> FormulaExpression:
        """Return a random function or power of an expression."""
        name = rng.choice(self.unaries)
        return power(argument, rng.choice(EXPONENTS)) if name == "**" else self.call(name, argument)

    def _draw_operation(self, rng: random.Random, depth: int, *, full: bool) -> FormulaExpression:
        inner = self._draw_part(rng, depth - 1, full=full)
        if self.unaries and (not self.binaries or rng.random() < UNARY):
            return self.draw_unary(rng, self._draw_terminal(rng) if inner.kind == "constant" else inner)
        if not self.binaries:
            return inner
        return binary(rng.choice(self.binaries), inner, self._draw_part(rng, depth - 1, full=full))

    def _draw_part(self, rng: random.Random, depth: int, *, full: bool) -> FormulaExpression:
        if depth == 0 or (not full and rng.random() < 0.3):  # noqa: PLR2004
            return self.draw_leaf(rng)
        return self._draw_operation(rng, depth, full=full)

    def _draw_terminal(self, rng: random.Random) -> FormulaExpression:
        return self.draw_leaf(rng, constants=0.0)


@lru_cache(maxsize=64)
def get_grammar(spec: ExpressionGrammar) -> Grammar:
    """Return the grammar made ready; building one takes longer than a mutation."""
    return Grammar(spec)


def round_constant(value: float, *, digits: int) -> float:
    """Return a number with a given number of significant digits."""
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0


@lru_cache(maxsize=4096)
def _parse(grammar: Grammar, source: str) -> FormulaExpression:
    try:
        # Written once normally, a part of the tree is a terminal if and only if its piece of the line is one.
        line = ast.unparse(_find_return(ast.parse(source), grammar.spec.function, grammar.spec.argument))
        return grammar.read(ast.parse(line, mode="eval").body, line.encode())
    except READING_ERRORS as err:
        raise CandidateRejected(f"not a program that an expression operator can read: {err}") from err


def _find_return(module: ast.Module, function: str, argument: str) -> ast.expr:
    body = [statement for statement in module.body if not _is_ornament(statement)]
    match body:
        case [ast.FunctionDef(name=name, args=ast.arguments(args=[ast.arg(arg=only)]), body=inner)]:
            match [statement for statement in inner if not _is_ornament(statement)]:
                case [ast.Return(value=ast.expr() as value)] if (name, only) == (function, argument):
                    return value
    raise CandidateRejected(f"not of the form `def {function}({argument}): return EXPRESSION`")


def _is_ornament(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _normal(text: str) -> str:
    try:
        return ast.unparse(ast.parse(text, mode="eval"))
    except SyntaxError as err:
        raise ValueError(f"{text!r} in the problem's grammar is not a Python expression") from err


def _terminal(text: str) -> FormulaExpression:
    tree = ast.parse(text, mode="eval").body
    atomic = isinstance(tree, ast.Call | ast.Name | ast.Attribute | ast.Subscript | ast.Constant)
    return leaf(text if atomic else f"({text})", nodes=_count_nodes(text))


def _count_nodes(text: str) -> int:
    return sum(1 for _ in ast.walk(ast.parse(text, mode="eval").body))
