"""The parser of candidates as formulas over columns: simple assignments and one return, helper functions inlined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from evograft_graph_invariant.graphs.vocabulary import COLUMNS, OWN, SPELLINGS

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
_FUNCTIONS: dict[str | None, frozenset[str]] = {"math": UNARY_FUNCTIONS, "np": NUMPY_FUNCTIONS}
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}


class NotAnExpression(Exception):  # noqa: N818 - a finding, not a mistake: the program has to be run instead
    """The program is not a formula over columns."""


class Expr(NamedTuple):
    """One operation of a formula: an operator, `column`, `constant`, or a function such as `math.sqrt`."""

    operation: str
    arguments: tuple[Expr, ...] = ()
    name: str = ""
    value: float = 0.0
    nodes: int = 0
    """AST nodes of the Python expression, with every assignment and helper inlined."""


def parse_expression(tree: ast.Module) -> Expr:
    """Return the candidate as one formula.

    Raises:
        NotAnExpression: when it is anything else, with what was not understood.
    """
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions or len(functions) != len(tree.body) or functions[-1].name != FUNCTION:
        raise NotAnExpression("the program is more than functions that end with the candidate's own")
    return _Reader(functions).read()


GRAPH = Expr("graph", nodes=2)
"""The argument itself: a name and its context."""

PLAIN_COLUMNS = {column.name: Expr("column", name=column.name, nodes=5) for column in COLUMNS}
"""What `name(G)` is: a call, two names and their contexts."""


def make_column(name: str) -> Expr:
    """Return a column of the vocabulary, or one of the user's."""
    return PLAIN_COLUMNS.get(name) or Expr("column", name=name, nodes=5)


class _Reader:
    """A parser that inlines the last function; each helper may call only those above it, so that nothing recurs."""

    def __init__(self, functions: list[ast.FunctionDef]) -> None:
        self.functions = functions
        self.names = {function.name for function in functions}
        self.steps = 0
        if self.names & _MODULES.keys():
            raise NotAnExpression("a function has the name of a module")

    def read(self) -> Expr:
        last = len(self.functions) - 1
        if len(self.functions[last].args.args) != 1:
            raise NotAnExpression(f"{FUNCTION} takes the graph and nothing else")
        return self._call(last, (GRAPH,))

    def _call(self, index: int, arguments: tuple[Expr, ...]) -> Expr:
        function = self.functions[index]
        names = _plain_arguments(function)
        if len(names) != len(arguments):
            raise NotAnExpression(f"{function.name} takes {len(names)} arguments")
        scope = _Scope(self, index, dict(zip(names, arguments, strict=True)))
        for statement in _without_docstring(function.body):
            match statement:
                case ast.Return(value=ast.expr() as value):
                    return scope.read_node(value) if index < len(self.functions) - 1 else scope.number(value)
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    scope.names[name] = scope.read_node(value)
                case _:
                    raise NotAnExpression(f"{type(statement).__name__} is no assignment")
        raise NotAnExpression(f"{function.name} returns nothing")

    def call_helper(self, name: str, before: int, arguments: tuple[Expr, ...]) -> Expr:
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

    def __init__(self, reader: _Reader, index: int, names: dict[str, Expr]) -> None:
        self.reader = reader
        self.index = index
        self.names = names

    def read_node(self, node: ast.expr) -> Expr:
        self.reader.count()
        read = _READERS.get(type(node))
        if read is None:
            raise _not_understood(node)
        return read(self, node)

    def number(self, node: ast.expr) -> Expr:
        expr = self.read_node(node)
        if expr is GRAPH:
            raise NotAnExpression("the graph is no number")
        return expr

    def read_binary(self, node: ast.BinOp) -> Expr:
        operator = BINARY.get(type(node.op))
        if operator is None:
            raise _not_understood(node)
        return build_operation(operator, self.number(node.left), self.number(node.right), own=2)

    def read_unary(self, node: ast.UnaryOp) -> Expr:
        if isinstance(node.op, ast.UAdd):
            return self.number(node.operand)
        if isinstance(node.op, ast.USub):
            return build_operation("neg", self.number(node.operand), own=2)
        raise _not_understood(node)

    def read_constant(self, node: ast.Constant) -> Expr:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _not_understood(node)
        return Expr("constant", value=_as_float(value), nodes=1)

    def read_name(self, node: ast.Name) -> Expr:
        if node.id not in self.names:
            raise NotAnExpression(f"{node.id} is not known")
        return self.names[node.id]

    def read_attribute(self, node: ast.Attribute) -> Expr:
        match node.value:
            case ast.Name(id=module) if module in _MODULES and module not in self.names and node.attr in _CONSTANTS:
                return Expr("constant", value=_CONSTANTS[node.attr], nodes=4)
        raise _not_understood(node)

    def read_call(self, node: ast.Call) -> Expr:
        if node.keywords:
            raise _not_understood(node)
        func, args = node.func, node.args
        if isinstance(func, ast.Name) and func.id not in self.names:
            return self._call_name(node, func.id, args)
        if isinstance(func, ast.Attribute) and len(args) == 1 and isinstance(func.value, ast.Name):
            module = _MODULES.get(func.value.id)
            if func.attr in _FUNCTIONS.get(module, ()) and func.value.id not in self.names:
                return build_operation(f"{module}.{func.attr}", self.number(args[0]), own=5)
        return self._column(node)

    def _call_name(self, node: ast.Call, name: str, args: list[ast.expr]) -> Expr:
        if name in self.reader.names:
            return self.reader.call_helper(name, self.index, tuple(self.read_node(arg) for arg in args))
        if len(args) == 1:
            arg = args[0]
            if isinstance(arg, ast.Name) and self.names.get(arg.id) is GRAPH and _is_column(name):
                return make_column(name)
            if name == "abs":
                return build_operation("abs", self.number(arg), own=3)
        elif name in ("min", "max"):
            return build_operation(name, *(self.number(arg) for arg in args), own=3)
        return self._column(node)

    def _column(self, node: ast.Call) -> Expr:
        spelling = _spelled(node, self.names)
        if spelling not in SPELLINGS:
            raise NotAnExpression(f"{spelling} is no column")
        return Expr("column", name=SPELLINGS[spelling], nodes=sum(1 for _ in ast.walk(node)))


def _is_column(name: str) -> bool:
    return name in PLAIN_COLUMNS or name.startswith(OWN)


_READERS: dict[type[ast.expr], Callable[[_Scope, Any], Expr]] = {
    ast.BinOp: _Scope.read_binary,
    ast.UnaryOp: _Scope.read_unary,
    ast.Constant: _Scope.read_constant,
    ast.Name: _Scope.read_name,
    ast.Attribute: _Scope.read_attribute,
    ast.Call: _Scope.read_call,
}


def _not_understood(node: ast.expr) -> NotAnExpression:
    return NotAnExpression(f"{type(node).__name__} is not understood")


def build_operation(operation: str, *arguments: Expr, own: int) -> Expr:
    nodes = own
    for argument in arguments:
        nodes += argument.nodes
    # A variable that is used twice, and again, doubles the formula with every line.
    if nodes > MAX_NODES:
        raise NotAnExpression(f"the formula has more than {MAX_NODES} nodes")
    return Expr(operation, arguments, nodes=nodes)


def _spelled(node: ast.Call, names: Mapping[str, Expr]) -> str:
    """Return the call as text, whatever the graph's name is in this function."""
    shadowed = {name for name, expr in names.items() if expr.operation != "graph"}
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
