"""The agent that `--generator` names."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evograft.api import PluginError, UserError
from evograft_playbook.generator import Generator, GeneratorAgent
from evograft_playbook.types import Trajectory


@contextmanager
def open_generator_class(name: str | None) -> Iterator[Callable[..., Generator]]:
    """Yield the callable that makes the agent: it is called with the arguments of `GeneratorAgent`.

    Within the block, modules are looked for in the current folder as well: an agent may import others when it is asked.

    Args:
        name: `MODULE:NAME`; `None`: the agent that is shipped.

    Raises:
        UserError: there is no such thing.
        PluginError: importing it fails; making it or asking it does, or it answers with something else than a
            Trajectory.
    """
    if name is None:
        yield GeneratorAgent
        return
    sys.path.insert(0, "")
    try:
        found = _import_class(name)

        def make(*parts: object, **limits: object) -> Generator:
            with _blaming(name, "cannot be made"):
                return _Checked(name, found(*parts, **limits))

        yield make
    finally:
        with contextlib.suppress(ValueError):  # the agent's own code may have changed the path
            sys.path.remove("")


def _import_class(name: str) -> Callable[..., Generator]:
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise UserError(f"--generator {name!r} is not of the form MODULE:NAME, such as my_agent:MyAgent")
    try:
        with _blaming(name, "cannot be imported"):
            found = getattr(importlib.import_module(module), attribute, None)
    except PluginError as err:
        if isinstance(missing := err.__cause__, ModuleNotFoundError):
            raise UserError(
                f"--generator {name!r}: there is no module {missing.name!r} here or among what is installed"
            ) from err
        raise
    if not callable(found):
        raise UserError(f"--generator {name!r}: {module} has no {attribute!r} that can be called")
    made: Callable[..., Generator] = found
    return made


@contextmanager
def _blaming(name: str, what: str) -> Iterator[None]:
    """Whatever goes wrong in an agent of somebody's own is that one's mistake, `sys.exit` included."""
    try:
        yield
    except (Exception, SystemExit) as err:
        raise PluginError(f"--generator {name!r} {what}: {type(err).__name__}: {err}") from err


class _Checked:
    """An agent of the user's own, whose answers are as they should be, or blamed on it."""

    def __init__(self, name: str, agent: Generator) -> None:
        self._name = name
        self._agent = agent

    def run(self, query: str, dataset: str) -> Trajectory:
        with _blaming(self._name, "failed"):
            answer = self._agent.run(query, dataset)
        if not isinstance(answer, Trajectory):
            raise PluginError(
                f"--generator {self._name!r} answers with {type(answer).__name__}, which is no Trajectory"
            )
        return answer
