"""The function of an evaluator that is called with a candidate, and what its first parameter tells about its style."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from evograft_program.options import EvaluatorStyle
from evograft_program.styles.source import DefinedFunction, EvaluatorSource, read_module

STAGE = "evaluate_stage1"
NAMES = ("evaluate", "evaluator")
"""What the function is called, the usual name first."""
BATCH = "batch_evaluator"
"""What they call a function of many candidates, each with an example."""
CANDIDATE = "candidate"
"""What GEPA's evaluators call their first parameter."""
PATHS = ("path", "file", "filename", "filepath")
"""What the names of paths end with."""
FUNCTIONS = frozenset({"fn", "func", "function", "f", "callback"})


@dataclass(frozen=True)
class EvaluatorFunction:
    """The function that is called."""

    name: str
    parameter: str
    """The name of its first parameter; empty: it is not known."""
    style: EvaluatorStyle | None
    """`None`: the function alone does not tell."""
    reason: str


def find_evaluator(module: EvaluatorSource) -> EvaluatorFunction | None:
    """Return the function that a candidate is handed to; `None`: there is none, or nobody says which."""
    defined = {function.name: function for function in module.functions}
    if STAGE in defined:
        return _staged(defined)
    if STAGE in module.imported:
        return _openevolve("evaluate", "", f"it imports {STAGE} from {module.imported[STAGE]}")
    if BATCH in defined:
        batch = defined[BATCH]
        return EvaluatorFunction(BATCH, _first(batch), EvaluatorStyle.GEPA, f"it defines {batch.signature}")
    for name in NAMES:
        if name in defined:
            return _judge(defined[name])
        if name in module.imported:
            return _imported(module, name)
    of_candidates = [each for each in module.functions if _first(each) == CANDIDATE and not each.name.startswith("_")]
    return _judge(of_candidates[0]) if len(of_candidates) == 1 else None


def find_candidate_function(source: str, *, parameter: str = "") -> str:
    """Return the function of a program that an evaluator of functions is given; empty: it cannot be told.

    Args:
        source: the start program.
        parameter: what the evaluator calls what it is given; a function of that name goes before others.
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return ""
    names = [node.name for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    public = [name for name in names if not name.startswith("_")]
    if parameter in public:
        return parameter
    return public[0] if len(public) == 1 else ""


def _staged(defined: dict[str, DefinedFunction]) -> EvaluatorFunction:
    stage = defined[STAGE]
    return _openevolve("evaluate", _first(stage), f"it defines {stage.signature}")


def _openevolve(name: str, parameter: str, reason: str) -> EvaluatorFunction:
    return EvaluatorFunction(name, parameter, EvaluatorStyle.OPENEVOLVE, reason)


def _imported(module: EvaluatorSource, name: str) -> EvaluatorFunction:
    """Judge a function that another module defines, by that module if it is near."""
    home = module.imported[name]
    reason = f"it imports {name} from {home}"
    for folder in (module.path.parent, module.path.parent.parent):
        path = folder / f"{home.replace('.', '/')}.py"
        if path.is_file():
            found = next((each for each in read_module(path).functions if each.name == name), None)
            if found is not None:
                judged = _judge(found)
                return EvaluatorFunction(name, judged.parameter, judged.style, f"{reason}: {found.signature}")
    return _openevolve(name, "", reason)


def _judge(function: DefinedFunction) -> EvaluatorFunction:
    reason = f"it defines {function.signature}"
    return EvaluatorFunction(function.name, _first(function), _style_of(function), reason)


def _style_of(function: DefinedFunction) -> EvaluatorStyle | None:
    if not function.parameters:
        return None
    parameter = function.parameters[0]
    annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
    if parameter.arg == CANDIDATE:
        return EvaluatorStyle.GEPA
    if parameter.arg.lower().endswith(PATHS) or "Path" in annotation:
        return EvaluatorStyle.OPENEVOLVE
    if parameter.arg in FUNCTIONS or "Callable" in annotation or _is_called(function, parameter.arg):
        return EvaluatorStyle.FUNCTION
    return None


def _is_called(function: DefinedFunction, name: str) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        for node in ast.walk(function.node)
    )


def _first(function: DefinedFunction) -> str:
    return function.parameters[0].arg if function.parameters else ""
