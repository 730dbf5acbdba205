"""`evo` in the process of a test: nothing has to be imported for it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock


@dataclass(frozen=True)
class Done:
    """What a command has left."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def error(self) -> str:
        """Its one line of error."""
        (line,) = (line for line in self.stderr.splitlines() if line.startswith(("Error", "Bug")))
        return line


def evo(*arguments: str | Path, input: str = "") -> Done:  # noqa: A002 - as subprocess calls it
    """Call `evo` in the current folder; what it writes past Python's streams is not captured."""
    from evograft import cli

    typed = io.TextIOWrapper(io.BytesIO(input.encode()), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", typed),
        mock.patch.object(sys, "argv", ["evo", *map(str, arguments)]),
        mock.patch.dict(os.environ),
        _modules_of_pythonpath(),
    ):
        code = cli._run()
    return Done(code, out.getvalue(), err.getvalue())


@contextmanager
def _modules_of_pythonpath() -> Iterator[None]:
    """Let modules of a test be found where another process would find them, and not be found by the next test."""
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder not in {"", *sys.path}]
    before = set(sys.modules)
    with mock.patch.object(sys, "path", [*folders, *sys.path]):
        yield
    for name in sys.modules.keys() - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(tuple(folders)):
            del sys.modules[name]
