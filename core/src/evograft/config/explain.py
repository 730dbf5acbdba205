"""Errors of validation in the words of YAML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from evograft.config.pipeline import NAMES
from evograft.errors import did_you_mean

_SHAPES = {
    type(None): "an empty file",
    dict: "a mapping",
    list: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
}
_PATTERNS = {
    NAMES: "should be letters, digits, `-` and `_`, a letter or digit first",
    r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$": "should be the id of an operator, such as operators.diff",
}
"""What texts have to look like, in words."""

_WORDING = {
    "missing": "is missing",
    "tuple_type": "should be a list",
    "list_type": "should be a list",
    "dict_type": "should be a mapping",
    "mapping_type": "should be a mapping",
    "model_type": "should be a mapping",
    "model_attributes_type": "should be a mapping",
    "string_type": "should be text",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "bool_type": "should be true or false",
    "finite_number": "should be a finite number",
}
"""What is wrong, in the words of YAML rather than of Python."""


def explain_validation(err: ValidationError, model: type[BaseModel], *, beside: Iterable[str] = ()) -> str:
    """Return one line for the first error of a validation: the key's path, what is wrong, and the nearest known key.

    Args:
        err: of the validation.
        model: that was validated.
        beside: keys that stand beside those of the model.
    """
    # A misspelt key is why its right spelling is missing.
    first = min(err.errors(), key=lambda each: each["type"] != "extra_forbidden")
    path = ".".join(str(part) for part in first["loc"] if part != "[key]")
    more = f" (and {err.error_count() - 1} more)" if err.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        known = _keys_at(model, first["loc"][:-1]) | (set(beside) if len(first["loc"]) == 1 else set())
        return f"unknown key {path!r}; {did_you_mean(str(first['loc'][-1]), known)}{more}"
    pattern = first.get("ctx", {}).get("pattern")
    message = _PATTERNS.get(str(pattern)) or _WORDING.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    message = re.sub(r"^(Input|String) should", "should", message)
    given = "" if first["type"] in ("missing", "value_error") else f", not {first['input']!r}"
    hint = _hint_on_number(first["input"]) if first["type"] == "float_type" else ""
    return f"{path + ': ' if path else ''}{message}{given}{hint}{more}"


def _hint_on_number(given: Any) -> str:
    """Return a hint for a number that YAML 1.1, which is what PyYAML reads, takes for text, such as `1e-9`."""
    try:
        number = float(given) if isinstance(given, str) else math.nan
    except ValueError:
        return ""
    return f"; YAML takes that for text, write {yaml.safe_dump(number).split()[0]}" if math.isfinite(number) else ""


def _keys_at(model: type[BaseModel], path: tuple[int | str, ...]) -> set[str]:
    """Return the keys that the model below a path knows; indices pass through to the items' model."""
    here: type[BaseModel] | None = model
    for part in path:
        if here is not None and isinstance(part, str):
            field = here.model_fields.get(part)
            here = _model_in(field.annotation) if field else None
    return {field.alias or name for name, field in here.model_fields.items()} if here else set()


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in inner if model is not None), None)


def shape_of(data: Any) -> str:
    """Return what plain data are, in the words of YAML."""
    return _SHAPES.get(type(data), "something else")
