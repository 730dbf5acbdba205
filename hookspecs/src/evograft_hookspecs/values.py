"""The building blocks of all data: frozen models, read-only mappings, and text and numbers that survive JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Generic, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, PlainSerializer
from pydantic_core import core_schema

K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class FrozenDict(Mapping[K, V_co], Generic[K, V_co]):
    """A mapping that cannot change, so that a value may be shared between threads and kept by a plugin.

    It hashes by content, pickles, and as a field type validates any mapping.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V_co] | Iterable[tuple[K, V_co]] = ()) -> None:
        self._items: dict[K, V_co] = dict(items)

    def __getitem__(self, key: K) -> V_co:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def to_dict(self) -> dict[K, V_co]:
        """Return a plain copy, many times faster than through the methods of a mapping."""
        return self._items.copy()

    def __eq__(self, other: object) -> bool:
        # Without the copies that a mapping compares: a value's defaults are compared whenever it is written.
        return self._items == other._items if isinstance(other, FrozenDict) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenDict({self._items!r})"

    def __reduce__(self) -> tuple[type[FrozenDict[K, V_co]], tuple[dict[K, V_co]]]:
        return FrozenDict, (self._items,)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        key, value = get_args(source) or (Any, Any)
        mapping = handler.generate_schema(dict[key, value])  # type: ignore[valid-type]
        # A FrozenDict goes through the same validation as a dict: its values may be of the wrong type.
        as_dict = core_schema.no_info_before_validator_function(_to_dict, mapping)
        return core_schema.no_info_after_validator_function(
            cls, as_dict, serialization=core_schema.plain_serializer_function_ser_schema(thaw)
        )


def _to_dict(value: Any) -> Any:
    if isinstance(value, FrozenDict):
        return value.to_dict()
    return dict(value) if isinstance(value, Mapping) else value


def check_text(text: str) -> str:
    """Return the text; a lone surrogate, which no UTF-8 file or log can hold, is a ValueError."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as err:
            raise ValueError(f"text with a lone surrogate at position {err.start} cannot be stored as UTF-8") from err
    return text


def freeze(value: Any) -> Any:
    """Make JSON-like data deeply read-only: lists become tuples, mappings `FrozenDict`s.

    Raises:
        ValueError: for what JSON cannot hold (other types, NaN, infinities, keys that are no text, lone surrogates).
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return check_text(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is not a JSON number")
        return float(value)
    if isinstance(value, Mapping):
        return FrozenDict({_key(key): freeze(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    raise ValueError(f"{type(value).__name__} is not JSON data")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"a JSON object's key is text, not {key!r}")  # noqa: TRY004 - pydantic reports ValueErrors
    return check_text(key)


def thaw(value: Any) -> Any:
    """Return plain dicts and lists, for `json.dumps` and the like: the inverse of `freeze`."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in value]
    return value


Text = Annotated[str, AfterValidator(check_text)]
"""Text that UTF-8 can hold: a lone surrogate is refused at the boundary, not when the log is written."""

Name = Annotated[Text, Field(min_length=1, max_length=200)]
"""An identifier that people read: at least one character."""

Number = Annotated[float, Field(strict=True)]
"""A finite float; integers are taken, bools and numeric text are not."""

Count = Annotated[int, Field(strict=True, ge=0)]
"""A number of things: an integer from 0."""

Json = Annotated[Any, AfterValidator(freeze), PlainSerializer(thaw)]
"""Any JSON data, held deeply read-only."""


class Value(BaseModel):
    """A frozen, closed value: it can be shared between threads, pickled, and written to JSON and read back equal."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        defer_build=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )
