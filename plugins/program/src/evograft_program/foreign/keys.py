"""The keys of a configuration file, each taken by whoever knows it; what is left in the end nobody knows."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evograft.api import UserError
from evograft.text.escapes import one_line

REFERENCE = re.compile(r"\$\{(?:oc\.env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
"""A value that stands in an environment variable: `${NAME}`, or `${oc.env:NAME}` in files for Hydra."""
SECRET = re.compile(r"(^|_)(api_?key|secret|password|auth_?token|access_?token)$", re.IGNORECASE)
NO_SECRETS = frozenset({"", "-", "dummy", "empty", "local", "none", "not-needed", "ollama", "test", "x"})
"""What is written where a server needs no key."""
PLACEHOLDER = re.compile(r"<.*>|\.+|x+|your[-_ ].*", re.IGNORECASE)


@dataclass(frozen=True)
class KnownKeys:
    """Keys of an engine that are not mapped."""

    sections: frozenset[str]
    """Its sections; whatever else has keys below it is reported as a whole."""
    met: Mapping[str, tuple[object, ...]]
    """Values that ask for nothing but what is done anyway, by path; empty: any value does."""
    remarks: Mapping[str, str]
    """What there is in the place of a key, by path."""
    governed: Mapping[str, str]
    """Keys, by how their paths begin, that say nothing unless another one is true."""

    def is_met(self, path: str, values: Mapping[str, object]) -> bool:
        """Return whether a value needs no word."""
        if any(path.startswith(start) and not values.get(switch) for start, switch in self.governed.items()):
            return True
        return path in self.met and (not self.met[path] or values[path] in self.met[path])

    def name_of(self, path: str) -> str:
        """Return the key that is reported for a path."""
        parts = path.split(".")
        return ".".join(parts[: 2 if parts[0] in self.sections else 1])


class ForeignKeys:
    """Nested keys by their path, such as `llm.api_base`.

    Args:
        data: the contents of the file.
        source: the file, for messages.

    Raises:
        UserError: the file is no mapping, or there is a key of a provider in it.
    """

    def __init__(self, data: object, source: str) -> None:
        if not isinstance(data, Mapping):
            raise UserError(f"{source}: a mapping of keys is needed, not {type(data).__name__}")
        self.source = source
        self._values = dict(_leaves(data))
        self._notes: list[str] = []
        for path, value in self._values.items():
            _refuse_secret(value, path, source)

    def take(self, path: str) -> object:
        """Return a value and count its key as known; `None`: it is not there."""
        return self._values.pop(path, None)

    def put(self, path: str, value: object) -> None:
        """Set a value that another key gives."""
        self._values[path] = value

    def has(self, path: str) -> bool:
        """Return whether a value is given."""
        return self._values.get(path) is not None

    def take_section(self, path: str) -> dict[str, object]:
        """Return all values below a path, by the rest of theirs."""
        below = [name for name in self._values if name.startswith(f"{path}.")]
        return {name.removeprefix(f"{path}."): self._values.pop(name) for name in below}

    def take_text(self, path: str) -> str | None:
        value = self.take(path)
        return None if value is None else self._expect(path, value, isinstance(value, str), "text")

    def take_flag(self, path: str) -> bool | None:
        value = self.take(path)
        return None if value is None else self._expect(path, value, isinstance(value, bool), "true or false")

    def take_number(self, path: str) -> float | None:
        """Return a finite number, also one that YAML took for text because of how its exponent is written."""
        value = self.take(path)
        if isinstance(value, str):
            value = _as_number(value)
        return None if value is None else self._expect(path, value, _is_finite(value), "a number")

    def take_count(self, path: str) -> int | None:
        """Return a whole number from 0."""
        value = self.take_number(path)
        if value is None:
            return None
        whole: float = self._expect(path, value, value >= 0 and value == int(value), "a whole number from 0")
        return int(whole)

    def take_texts(self, path: str) -> list[str] | None:
        """Return a list of texts; a single one is a list of one."""
        values = self._take_list(path)
        return values and self._expect(path, values, all(isinstance(each, str) for each in values), "a list of texts")

    def take_numbers(self, path: str) -> list[float] | None:
        """Return a list of numbers; a single one is a list of one."""
        values = self._take_list(path)
        return values and self._expect(path, values, all(_is_finite(each) for each in values), "a list of numbers")

    def take_list(self, path: str) -> list[object]:
        """Return a list of anything; a single value is a list of one."""
        return self._take_list(path) or []

    def _take_list(self, path: str) -> list[Any] | None:
        value = self.take(path)
        return value if value is None or isinstance(value, list) else [value]

    def take_reference(self, path: str) -> str | None:
        """Return the environment variable that a value stands in; `None`: there is no such reference."""
        value = self.take(path)
        found = REFERENCE.fullmatch(value.strip()) if isinstance(value, str) else None
        return found[1] if found else None

    def note(self, path: str, remark: str) -> None:
        """Warn of a key."""
        self._notes.append(f"{self.source}: {path}: {remark}")

    def warnings(self, known: KnownKeys) -> tuple[str, ...]:
        """Return what was noted, and a line for each key, or section that nobody knows, which was not taken."""
        left = [
            path for path, value in self._values.items() if value is not None and not known.is_met(path, self._values)
        ]
        named = dict.fromkeys(known.name_of(path) for path in left)
        lines = (f"{self.source}: {name} has no counterpart{_tail(known.remarks.get(name))}" for name in named)
        return tuple(one_line(line) for line in (*self._notes, *lines))

    def _expect(self, path: str, value: Any, is_right: bool, kind: str) -> Any:  # noqa: FBT001 - a check's outcome
        if not is_right:
            raise UserError(f"{self.source}: {path}: {kind} is needed, not {one_line(value)!r}")
        return value


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _tail(remark: str | None) -> str:
    return f": {remark}" if remark else ""


def _as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _leaves(data: Mapping[Any, object], path: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping):
            yield from _leaves(value, name)
        else:
            yield name, value


def _refuse_secret(value: object, path: str, source: str) -> None:
    """Refuse a key of a provider, without repeating it; one in a list of models as well."""
    if isinstance(value, list):
        for item in value:
            for name, inner in _leaves(item, path) if isinstance(item, Mapping) else ():
                _refuse_secret(inner, name, source)
    elif isinstance(value, str) and SECRET.search(path.rpartition(".")[2]) and _is_secret(value):
        raise UserError(
            f"{source}: {path} holds a key; put it into an environment variable, revoke it if the file was shared, "
            "and write ${NAME} in its place"
        )


def _is_secret(value: str) -> bool:
    text = value.strip()
    return not (text.lower() in NO_SECRETS or REFERENCE.fullmatch(text) or PLACEHOLDER.fullmatch(text))
