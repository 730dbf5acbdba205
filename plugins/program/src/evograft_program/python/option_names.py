"""Options in messages: the command line's, as arguments of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from evograft.api import EvolveOptions, UserError

NAMES = {name.replace("_", "-") for name in EvolveOptions.__optional_keys__}
OPTION = re.compile(
    rf"--(?P<name>{'|'.join(sorted(NAMES, key=len, reverse=True))})(?![\w-])"
    r"(?: (?P<quoted>'[^']*')| (?P<value>[\w-]+:[\w./-]*\w|[A-Z]+|openevolve|gepa|function|command)\b)?"
)
"""An option with its value, where one stands behind it: quoted, or a model, a placeholder or a style."""
SETTING = re.compile(r"--set (?P<key>[\w.]+)=(?P<value>\w+)")


def in_python(message: str) -> str:
    """Return a message with `--llm DRIVER:MODEL` as `llm="DRIVER:MODEL"`, and `--api-base` as `api_base=`."""
    message = SETTING.sub(r'settings={"\g<key>": "\g<value>"}', message)
    return OPTION.sub(_to_argument, message)


@contextmanager
def speaking_python() -> Iterator[None]:
    """Name options in errors as Python does.

    Raises:
        UserError: the same, in other words.
    """
    try:
        yield
    except UserError as err:
        # Not from it: a notebook would show the same error twice, first with the command line's names.
        raise UserError(in_python(str(err))) from None


def _to_argument(option: re.Match[str]) -> str:
    name = option["name"].replace("-", "_")
    value = option["quoted"] or (f'"{option["value"]}"' if option["value"] else "")
    return f"{name}={value}"
