"""The verification of what was set up earlier, and as people read it."""

from __future__ import annotations

import shlex
from contextlib import closing
from functools import partial

from evograft.display import Display
from evograft.errors import ServiceError, UserError
from evograft.settings import load_settings
from evograft_env_setup.checkout import repository
from evograft_env_setup.environments import Environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.plan import SelectedEnvironment
from evograft_env_setup.pre_planning import known_environments
from evograft_env_setup.printable import printable
from evograft_env_setup.progress import Progress
from evograft_env_setup.reporting.terminal import Terminal
from evograft_env_setup.verifier import EnvironmentVerifier, VerificationResult
from evograft_env_setup.workshop import Kept, Workshop, WorkshopUnavailable
from evograft_env_setup.workshop.place import Found, find_environment, open_workshop


def verified(target: str, options: EnvSetupOptions, *, quiet: bool) -> VerificationResult:
    """Runs the verification commands in what the set-up of the project has left.

    Raises:
        UserError: it is not set up, or has changed since.
        ServiceError: the engine does not answer, or the repository can't be cloned.
    """
    with Display("quiet" if quiet else load_settings().progress) as display:
        progress = Progress([Terminal(display)])
        try:
            with repository(target, progress) as (root, project):
                found = known_project(project, options.place)
                built = found.environment
                there = options.model_copy(update={"place": built.place, "programs": built.programs})
                environment = environment_of(found.planned, options)
                workshop, _ = open_workshop(project, environment, there, image=found.planned.image)
                with closing(workshop):
                    kept = _revisited(workshop, str(root), found.planned)
                    progress.say("verifying")
                    run = partial(workshop.run, timeout=options.timeout, network=False)
                    return EnvironmentVerifier(run).verify_setup(kept.plan.verification)
        except WorkshopUnavailable as err:
            raise ServiceError(str(err)) from err


def known_project(project: str, place: str) -> Found:
    """Return where a project is set up.

    Raises:
        UserError: it is not, as far as anybody knows.
        WorkshopUnavailable: it must be a container, and no engine answers.
    """
    found, missing = find_environment(project, place)
    if found is None:
        where = "in bubblewrap here, and no Docker engine answers that could know it" if missing else "here"
        raise UserError(f"{project!r} is not set up {where}: evo env setup {shlex.quote(project)}")
    return found


def environment_of(plan: SelectedEnvironment, options: EnvSetupOptions) -> Environment:
    """The environment that a project was set up in.

    Raises:
        UserError: it is not known here.
    """
    known = known_environments(options)
    if plan.name not in known:
        raise UserError(f"the environment {plan.name!r} is unknown here: name the file of the set-up by --environments")
    return known[plan.name]


def _revisited(workshop: Workshop, root: str, plan: SelectedEnvironment) -> Kept:
    workshop.start()
    brought = workshop.bring(root)
    if brought.exit_code:
        raise UserError(f"can't copy {root!r}: {brought.stderr}")
    kept = workshop.recall(plan)
    if kept is None:
        raise UserError(f"{root!r}, its image or an option has changed since it was set up: evo env setup {root}")
    return kept


def shown(result: VerificationResult) -> str:
    """A line for each command, and where it prints something else, what."""
    lines = []
    for each in result.commands:
        lines.append(f"{'ok' if each.matches else 'NOT OK'}: {each.command}")
        if not each.matches:
            lines += [f"  {line}" for line in (f"exit code {each.exit_code}", *each.difference.splitlines())]
    return "\n".join(map(printable, lines))
