"""A program as it is, but for the numbers that its functions return.

The text below is added to programs of users and is executed where they are: it needs nothing, and leaves a mark on
standard error and in the file `kept` when it has replaced a number, for otherwise the program is the user's own.
"""

from __future__ import annotations

import ast

MARK = "evograft replaced a number"

_ADDED = """
def _evograft_replace_numbers(names, number):
    import functools
    import os
    import types

    depth = [0]

    def mark():
        os.write(2, b"{mark}\\n")
        try:
            with open(os.path.join(os.path.dirname(names["__file__"]), "kept"), "w") as file:
                file.write("{mark}")
        except (KeyError, OSError):
            pass

    def replace(value):
        if isinstance(value, bool) or value is None or isinstance(value, (str, bytes)):
            return value
        if isinstance(value, (int, float)):
            mark()
            return number
        if type(value) in (list, tuple):
            return type(value)([replace(each) for each in value])
        if type(value) is dict:
            return {{key: replace(each) for key, each in value.items()}}
        if hasattr(value, "dtype") and hasattr(value, "astype"):
            mark()
            return value.astype(float) * 0 + number
        return value

    def wrap(function):
        @functools.wraps(function)
        def wrapped(*arguments, **named):
            depth[0] += 1
            try:
                value = function(*arguments, **named)
            finally:
                depth[0] -= 1
            return value if depth[0] else replace(value)

        return wrapped

    for name, value in list(names.items()):
        if isinstance(value, types.FunctionType) and value.__globals__ is names and not name.startswith("_evograft"):
            names[name] = wrap(value)


_evograft_replace_numbers(globals(), {number})
"""


def replace_numbers(source: str, number: str) -> str:
    """Return a program whose functions return one number in the place of each.

    Args:
        source: the program, in Python.
        number: an expression.

    Raises:
        SyntaxError: the program is not Python.
    """
    tree = ast.parse(source)
    starts = [node for node in tree.body if _is_start(node)]
    rest = [node for node in tree.body if node not in starts]
    added = _ADDED.format(mark=MARK, number=number)
    return "\n".join((_unparse(rest), added, _unparse(starts)))


def _is_start(node: ast.stmt) -> bool:
    """Return whether a statement is what a script does when it is started."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _unparse(body: list[ast.stmt]) -> str:
    return ast.unparse(ast.Module(body=body, type_ignores=[]))
