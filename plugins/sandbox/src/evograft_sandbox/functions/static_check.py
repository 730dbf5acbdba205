"""The static check: turns away what no honest candidate needs, with a reason that a model can act on.

It looks at the syntax tree, never at the text (`cosh` contains `os`). It saves time and gives better messages than a
layer does; it is not a layer itself.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from evograft_hookspecs import CandidateRejected

MAX_SOURCE = 100_000
EVERYWHERE = frozenset({"eval", "exec", "open", "os", "sys", "subprocess", "ctypes", "ctypeslib"})
"""Refused as variable, attribute, argument and imported name alike."""
AS_NAME = frozenset({"compile", "globals", "locals", "vars", "getattr", "setattr", "delattr", "breakpoint", "input"})
AS_ATTRIBUTE = frozenset(
    """
    f_back f_builtins f_code f_globals f_locals gi_code gi_frame gi_yieldfrom cr_code cr_frame cr_await ag_code
    ag_frame ag_await tb_frame tb_next func_code func_globals
    """.split()  # noqa: SIM905 - a word per line would hide the list
)
"""Ways from a generator or traceback to the frames of the caller."""
VARIABLES = frozenset({"open", "vars", "input", "compile"})
"""Those of them that a program may bind: it then means its own, because where it runs there are no others."""
STATEMENTS: dict[type[ast.AST], str] = {
    ast.AsyncFunctionDef: "async functions",
    ast.AsyncFor: "async loops",
    ast.AsyncWith: "async with",
    ast.Await: "await",
    ast.ClassDef: "classes (write functions)",
    ast.Global: "global statements (pass values as arguments)",
}
FILLED_AT_RUN_TIME = frozenset({"format", "format_map", "vformat"})
"""Such a format string, which may itself be made at run time, reaches every attribute of what it is filled with."""


def check_source(source: str, *, modules: Collection[str], function: str | None = None) -> None:
    """Check a candidate's source before it runs.

    Args:
        source: of a module.
        modules: what may be imported; with `numpy` also `numpy.linalg`.
        function: a name that the source has to define at its top level.

    Raises:
        CandidateRejected: with one line that says what to change.
    """
    tree = _parse(source)
    own = VARIABLES.intersection(_bound_names(tree))
    for node in ast.walk(tree):
        if not _postpones_annotations(node):
            _check_node(node, modules, own)
    if function is not None and function not in set(_top_level_names(tree)):
        raise CandidateRejected(f"there is no function named {function!r}: define it at the top level")


def _parse(source: str) -> ast.Module:
    if len(source) > MAX_SOURCE:
        raise CandidateRejected(f"the source has {len(source)} characters, at most {MAX_SOURCE} are allowed")
    try:
        return ast.parse(source)
    except SyntaxError as err:
        place = f" (line {err.lineno})" if err.lineno else ""
        raise CandidateRejected(f"{type(err).__name__}: {err.msg}{place}") from err
    except (RecursionError, MemoryError) as err:
        raise CandidateRejected("the source is nested too deeply") from err
    except ValueError as err:
        raise CandidateRejected(f"the source is no text: {err}") from err


def _bound_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name


def _postpones_annotations(node: ast.AST) -> bool:
    if not isinstance(node, ast.ImportFrom):
        return False
    return node.module == "__future__" and [(each.name, each.asname) for each in node.names] == [("annotations", None)]


def _check_node(node: ast.AST, modules: Collection[str], own: Collection[str]) -> None:
    if type(node) in STATEMENTS:
        raise _rejected(node, f"{STATEMENTS[type(node)]} are not allowed")
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        raise _rejected(node, f"assigning to the attribute {node.attr!r} is not allowed")
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        _check_import(node, modules)
    for identifier in _identifiers(node):
        if not (identifier in own and isinstance(node, (ast.Name, ast.arg))):
            _check_identifier(node, identifier)


def _check_import(node: ast.Import | ast.ImportFrom, modules: Collection[str]) -> None:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or "."]
    if isinstance(node, ast.ImportFrom) and node.level:
        raise _rejected(node, "relative imports are not allowed")
    for name in names:
        if name not in modules and name.partition(".")[0] not in modules:
            offered = ", ".join(sorted(modules)) or "nothing"
            raise _rejected(node, f"importing {name!r} is not allowed, only {offered}")


def _identifiers(node: ast.AST) -> Iterator[str]:
    """Yield every name that a node holds: of variables, attributes, arguments, imports, patterns and so on."""
    if isinstance(node, ast.Constant):
        return
    for field, value in ast.iter_fields(node):
        if field == "type_comment":
            continue
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, str):
                yield from item.split(".")


def _check_identifier(node: ast.AST, identifier: str) -> None:
    if identifier.startswith("__") and identifier.endswith("__"):
        raise _rejected(node, f"the dunder name {identifier!r} is not allowed")
    # Libraries import the likes of `os` as `_os`.
    refused = identifier in EVERYWHERE or (isinstance(node, ast.Attribute) and identifier.lstrip("_") in EVERYWHERE)
    refused |= identifier in AS_NAME and isinstance(node, (ast.Name, ast.arg, ast.alias, ast.FunctionDef))
    if identifier in FILLED_AT_RUN_TIME and isinstance(node, (ast.Attribute, ast.MatchClass)):
        raise _rejected(node, f"a format string filled by .{identifier}() is not allowed, write an f-string")
    refused |= identifier in AS_ATTRIBUTE and isinstance(node, (ast.Attribute, ast.MatchClass))
    if refused:
        raise _rejected(node, f"the name {identifier!r} is not allowed")


def _top_level_names(tree: ast.Module) -> Iterator[str]:
    """Return names bound outside of functions, at any depth of `if` and `try`; a few too many do no harm."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        nodes.extend(ast.iter_child_nodes(node))


def _rejected(node: ast.AST, reason: str) -> CandidateRejected:
    line = getattr(node, "lineno", None)
    return CandidateRejected(f"{reason} (line {line})" if line else reason)
