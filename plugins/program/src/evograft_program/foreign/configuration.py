"""A configuration file of another engine, recognised by its keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evograft.api import read_yaml
from evograft_program.foreign.openevolve import map_openevolve
from evograft_program.foreign.openevolve_arguments import OpenEvolveArguments
from evograft_program.foreign.settings import ForeignSettings
from evograft_program.foreign.shinka import map_shinka

SHINKA_SECTIONS = frozenset({"evo", "evo_config", "db_config", "job_config", "evaluate_function", "hydra"})
NO_ARGUMENTS = OpenEvolveArguments()


def read_configuration(path: Path | None, *, arguments: OpenEvolveArguments = NO_ARGUMENTS) -> ForeignSettings:
    """Return the settings in a file of OpenEvolve, SkyDiscover or ShinkaEvolve.

    Args:
        path: the file; `None`: the arguments alone.
        arguments: of OpenEvolve's command; those for models go before what the file says.

    Raises:
        UserError: it cannot be read, a value has the wrong type, or a key of a provider is in it.
    """
    if path is None:
        return map_openevolve(arguments.apply({}), source="the command line")
    data = read_yaml(path)
    if isinstance(data, Mapping) and not SHINKA_SECTIONS.isdisjoint(data):
        return map_shinka(data, source=path.name)
    return map_openevolve(arguments.apply({} if data is None else data), source=path.name)
