"""Reads a candidate as a formula over columns: simple assignments and one return, helper functions inlined."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from evograft_graph_invariant.levels import SPELLINGS

FUNCTION = "new_invariant"

MAX_STEPS = 2000
"""The most steps a formula may have with its helpers inlined; longer programs are run, not interpreted."""

MAX_NODES = 2000
"""The largest formula, as a tree."""

UNARY_FUNCTIONS = frozenset(
    {"sqrt", "log", "log2", "log10", "log1p", "exp", "fabs", "sin", "cos", "tan", "tanh", "atan", "sinh", "cosh"}
)
"""What is understood after `math.` (`atan` excepted, also after `np.` and `numpy.`)."""

NUMPY_FUNCTIONS = (UNARY_FUNCTIONS - {"atan"}) | {"arctan", "abs"}

_CONSTANTS = {"pi": 3.141592653589793, "e": 2.718281828459045}
_MODULES = {"math": "math", "np": "np", "numpy": "np"}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}


class NotAnExpression(Exception):  # noqa: N818 - a finding, not a mistake: the program has to be run instead
    """The program is no formula over columns."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a formula: an operator, `column`, `constant`, or a function such as `math.sqrt`."""

    operation: str
    arguments: tuple[Step, ...] = ()
    name: str = ""
    value: float = 0.0
    nodes: int = 0
    """AST nodes of the Python expression, with every assignment and helper inlined."""


def read_expression(tree: ast.Module) -> Step:
    """The candidate as one formula.

    Raises:
        NotAnExpression: when it is anything else, with what was not understood.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions or len(functions) != len(tree.body) or functions[-1].name != FUNCTION:
        raise NotAnExpression("the program is more than functions that end with the candidate's own")
    return _Reader(functions).read()


GRAPH = Step("graph", nodes=2)
"""The argument itself: a name and its context."""


class _Reader:
    """Inlines the last function; each helper may call those above it only, so that nothing recurs."""

    def __init__(self, functions: list[ast.FunctionDef]) -> None:
        self.functions = functions
        self.steps = 0

    def read(self) -> Step:
        last = len(self.functions) - 1
        if len(self.functions[last].args.args) != 1:
            raise NotAnExpression(f"{FUNCTION} takes the graph and nothing else")
        return self._call(last, (GRAPH,))

    def _call(self, index: int, arguments: tuple[Step, ...]) -> Step:
        function = self.functions[index]
        names = _plain_arguments(function)
        if len(names) != len(arguments):
            raise NotAnExpression(f"{function.name} takes {len(names)} arguments")
        scope = _Scope(self, index, dict(zip(names, arguments, strict=True)))
        for statement in _without_docstring(function.body):
            match statement:
                case ast.Return(value=ast.expr() as value):
                    return scope.step(value) if index < len(self.functions) - 1 else scope.number(value)
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    scope.names[name] = scope.step(value)
                case _:
                    raise NotAnExpression(f"{type(statement).__name__} is no assignment")
        raise NotAnExpression(f"{function.name} returns nothing")

    def call_helper(self, name: str, before: int, arguments: tuple[Step, ...]) -> Step:
        for index in reversed(range(before)):
            if self.functions[index].name == name:
                return self._call(index, arguments)
        raise NotAnExpression(f"{name} is not known")

    def count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise NotAnExpression(f"the formula has more than {MAX_STEPS} steps")


class _Scope:
    """The names inside one call of one function."""

    def __init__(self, reader: _Reader, index: int, names: dict[str, Step]) -> None:
        self.reader = reader
        self.index = index
        self.names = names

    def step(self, node: ast.expr) -> Step:  # noqa: PLR0911 - one return a case
        self.reader.count()
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _join(_BINARY[type(op)], self.number(left), self.number(right), own=2)
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return Step("constant", value=_as_float(value), nodes=1)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _join("neg", self.number(operand), own=2)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.number(operand)
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if module in _MODULES and attr in _CONSTANTS:
                return Step("constant", value=_CONSTANTS[attr], nodes=4)
            case ast.Call(func=func, args=args, keywords=[]):
                return self._call(node, func, args)
        raise NotAnExpression(f"{type(node).__name__} is not understood")

    def number(self, node: ast.expr) -> Step:
        step = self.step(node)
        if step.operation == "graph":
            raise NotAnExpression("the graph is no number")
        return step

    def _call(self, node: ast.Call, func: ast.expr, args: list[ast.expr]) -> Step:
        match func:
            case ast.Name(id=name) if name not in self.names:
                if len(args) == 1 and self._is_graph(args[0]) and not self._is_helper(name):
                    return self._column(node)
                return self._named(node, name, args)
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if module in _MODULES and module not in self.names:
                module = _MODULES[module]
                known = UNARY_FUNCTIONS if module == "math" else NUMPY_FUNCTIONS
                if len(args) == 1 and attr in known:
                    return _join(f"{module}.{attr}", self.number(args[0]), own=5)
        return self._column(node)

    def _named(self, node: ast.Call, name: str, args: list[ast.expr]) -> Step:
        if self._is_helper(name):
            return self.reader.call_helper(name, self.index, tuple(self.step(arg) for arg in args))
        if name == "abs" and len(args) == 1:
            return _join("abs", self.number(args[0]), own=3)
        if name in ("min", "max") and len(args) > 1:
            return _join(name, *(self.number(arg) for arg in args), own=3)
        return self._column(node)

    def _is_helper(self, name: str) -> bool:
        return any(function.name == name for function in self.reader.functions)

    def _is_graph(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.names and self.names[node.id].operation == "graph"

    def _column(self, node: ast.Call) -> Step:
        spelling = _spelled(node, self.names)
        if spelling not in SPELLINGS:
            raise NotAnExpression(f"{spelling} is no column")
        return Step("column", name=SPELLINGS[spelling], nodes=sum(1 for _ in ast.walk(node)))


def _join(operation: str, *arguments: Step, own: int) -> Step:
    nodes = own + sum(argument.nodes for argument in arguments)
    # A variable that is used twice, and again, doubles the formula with every line.
    if nodes > MAX_NODES:
        raise NotAnExpression(f"the formula has more than {MAX_NODES} nodes")
    return Step(operation, arguments, nodes=nodes)


def _spelled(node: ast.Call, names: Mapping[str, Step]) -> str:
    """The call as text, whatever the graph's name is in this function."""
    match node:
        case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name)], keywords=[]) if names.get(name) is GRAPH:
            return f"{called}(G)"
    shadowed = {name for name, step in names.items() if step.operation != "graph"}
    copied = ast.parse(ast.unparse(node), mode="eval")
    for inner in ast.walk(copied):
        if not isinstance(inner, ast.Name):
            continue
        if inner.id in shadowed:
            raise NotAnExpression(f"{inner.id} is no graph")
        if inner.id in names:
            inner.id = "G"
        elif inner.id == "networkx":
            inner.id = "nx"
    return ast.unparse(copied)


def _plain_arguments(function: ast.FunctionDef) -> list[str]:
    args = function.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults or function.decorator_list:
        raise NotAnExpression(f"{function.name} has more than plain arguments")
    return [arg.arg for arg in args.args]


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return body[1:]
    return body


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError as err:
        raise NotAnExpression("a constant is too large for a float") from err
