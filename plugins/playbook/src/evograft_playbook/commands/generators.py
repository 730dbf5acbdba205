"""The agent that `--generator` names."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from evograft.errors import PluginError, UserError
from evograft_playbook.generator import Generator
from evograft_playbook.models import Trajectory


def find_generator(name: str) -> Callable[..., Generator]:
    """Returns what makes the agent: it is called with the arguments of `GeneratorAgent`.

    Args:
        name: `MODULE:NAME`; the module is looked for in the current folder as well.

    Raises:
        UserError: there is no such thing.
        PluginError: importing it fails, or it answers with something else than a Trajectory.
    """
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise UserError(f"--generator {name!r} is not of the form MODULE:NAME, such as my_agent:MyAgent")
    sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except ModuleNotFoundError as err:
        raise UserError(
            f"--generator {name!r}: there is no module {err.name!r} here or among what is installed"
        ) from err
    except Exception as err:
        raise PluginError(f"--generator {name!r} cannot be imported: {type(err).__name__}: {err}") from err
    finally:
        sys.path.remove("")
    if not callable(found):
        raise UserError(f"--generator {name!r}: {module} has no {attribute!r} that can be called")
    return lambda *parts, **limits: _Checked(name, found(*parts, **limits))


class _Checked:
    """An agent of somebody's own, whose answers are what they should be or somebody's mistake."""

    def __init__(self, name: str, agent: Generator) -> None:
        self._name = name
        self._agent = agent

    def run(self, query: str, dataset: str) -> Trajectory:
        try:
            answer = self._agent.run(query, dataset)
        except Exception as err:
            raise PluginError(f"--generator {self._name!r} failed: {type(err).__name__}: {err}") from err
        if not isinstance(answer, Trajectory):
            raise PluginError(
                f"--generator {self._name!r} answers with {type(answer).__name__}, which is no Trajectory"
            )
        return answer
