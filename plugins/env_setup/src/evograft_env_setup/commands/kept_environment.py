"""A project that was set up earlier, and the sandbox in which commands run in what is kept of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from evograft.api import ServiceError, UserError
from evograft_env_setup.environments import Environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.outlook import load_environments
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox import ReopenableSandbox, SetupSandboxUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_env_setup.sandbox.selection import FoundEnvironment, choose_sandbox, find_environment


@dataclass(frozen=True)
class KeptEnvironment:
    """What a set-up has left, and the sandbox for commands in it."""

    planned: SelectedEnvironment
    built: BuiltEnvironment
    sandbox: ReopenableSandbox
    """Neither started nor reopened."""


@contextmanager
def open_kept_environment(project: str, options: EnvSetupOptions) -> Iterator[KeptEnvironment]:
    """Yield what is kept of a project.

    Args:
        project: its path, or the address that it was cloned from.
        options: of the place.

    Raises:
        UserError: it is not set up, as far as anybody knows, or in an environment that is not known here.
        ServiceError: neither an engine nor bubblewrap can open it.
    """
    try:
        found = _find(project, options.place)
        environment = find_environment_of(found.planned, options)
        there = options.model_copy(update={"place": found.environment.place, "programs": found.environment.programs})
        sandbox, _ = choose_sandbox(project, environment, there, image=found.planned.image)
        with closing(sandbox):
            yield KeptEnvironment(found.planned, found.completed(environment), sandbox)
    except SetupSandboxUnavailable as err:
        raise ServiceError(str(err)) from err


def _find(project: str, place: str) -> FoundEnvironment:
    found, missing = find_environment(project, place)
    if found is None:
        where = "in bubblewrap here, and no Docker engine answers that could know it" if missing else "here"
        raise UserError(f"{project!r} is not set up {where}: evo env setup {shlex.quote(project)}")
    return found


def find_environment_of(plan: SelectedEnvironment, options: EnvSetupOptions) -> Environment:
    """Return the environment that a project was set up in.

    Raises:
        UserError: it is not known here.
    """
    known = load_environments(options)
    if plan.name not in known:
        raise UserError(f"the environment {plan.name!r} is unknown here: name the file of the set-up by --environments")
    return known[plan.name]
