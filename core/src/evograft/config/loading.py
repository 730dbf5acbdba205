"""Pipelines from plain data, validated to the last key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evograft.config.explain import explain_validation, shape_of
from evograft.config.overrides import with_overrides
from evograft.config.pipeline import Pipeline
from evograft.errors import UserError

Model = TypeVar("Model", bound=BaseModel)


def pipeline_from(data: Any, *, source: str) -> Pipeline:
    """Validate plain data as a pipeline.

    Raises:
        UserError: naming the source, the path of the key, and the nearest known key.
    """
    return validate(Pipeline, data, source=source, shape="a pipeline is a mapping with a list `plugins`")


def validate(model: type[Model], data: Any, *, source: str, shape: str) -> Model:
    """Validate plain data of a file.

    Args:
        model: of what the file holds.
        data: as it was read.
        source: the file.
        shape: what is said where the data are no mapping at all.

    Raises:
        UserError: naming the source, the path of the key, and the nearest known key.
    """
    if not isinstance(data, Mapping):
        raise UserError(f"{source}: {shape}, not {shape_of(data)}")
    try:
        return model.model_validate(dict(data))
    except ValidationError as err:
        raise UserError(f"{source}: {explain_validation(err, model)}") from err


def resolve_pipeline(data: Any, overrides: Iterable[str], *, source: str) -> Pipeline:
    """Return the pipeline with `a.b=c` overrides, which are validated like the file."""
    pipeline = pipeline_from(data, source=source)
    changes = tuple(overrides)
    return pipeline_from(with_overrides(pipeline.to_data(), changes), source="--set") if changes else pipeline
