"""The selection of a sandbox: a container, or bubblewrap if no engine answers; and the place of earlier set-ups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evograft_env_setup.environments import Environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_env_setup.sandbox.command_prefix import with_prefix
from evograft_env_setup.sandbox.docker.engine import PLAN, VOLUME, connect, find_kept, load_made_plan, volume_name
from evograft_env_setup.sandbox.docker.sandbox import DockerSetupOptions, DockerSetupSandbox, describe_built
from evograft_env_setup.sandbox.setup_sandbox import ReopenableSandbox, SetupSandboxUnavailable


@dataclass(frozen=True)
class FoundEnvironment:
    """A project that is set up, and the plans by which it was."""

    environment: BuiltEnvironment
    planned: SelectedEnvironment
    made: SelectedEnvironment
    """The same with commands as they were corrected."""

    def completed(self, environment: Environment) -> BuiltEnvironment:
        """Return what is there, with how commands run in it."""
        return with_prefix(self.environment, self.made, environment)


def choose_sandbox(
    project: str, environment: Environment, options: EnvSetupOptions, *, image: str = ""
) -> tuple[ReopenableSandbox, str]:
    """Return a sandbox that has not started, and why it is not a container; empty if it is one.

    Args:
        project: by which an environment is known again.
        environment: whose commands will run there.
        options: say which place is wanted.
        image: of the container; empty: the environment's usual one.
    """
    if options.place == "bwrap":
        return _bubblewrap(project, environment, options), ""
    missing = _missing_engine() if options.place == "auto" else ""
    if missing:
        return _bubblewrap(project, environment, options), missing
    container = DockerSetupOptions(
        image=image or environment.usual_image,
        variables=environment.variables,
        network=options.network,
        memory_mb=options.memory_mb,
        as_root=options.as_root,
        fresh=options.fresh,
    )
    return DockerSetupSandbox(project, container), ""


def _bubblewrap(project: str, environment: Environment, options: EnvSetupOptions) -> ReopenableSandbox:
    from evograft_env_setup.sandbox.bwrap.sandbox import BwrapSetupOptions, BwrapSetupSandbox

    walls = BwrapSetupOptions(
        variables=environment.variables,
        memory_mb=options.memory_mb,
        network=options.network != "none",
        programs=options.programs,
        fresh=options.fresh,
    )
    return BwrapSetupSandbox(project, walls)


def _missing_engine() -> str:
    try:
        with connect() as client:
            client.ping()
    except SetupSandboxUnavailable as err:
        return str(err)
    return ""


def find_environment(project: str, place: str) -> tuple[FoundEnvironment | None, str]:
    """Return where a project is set up.

    Args:
        project: its path, or the address that it was cloned from.
        place: `docker`, `bwrap`, or `auto`: a container is preferred.

    Returns:
        `None` if nothing is known, and then why no engine was asked if none answers.

    Raises:
        SetupSandboxUnavailable: it must be a container, and no engine answers.
    """
    if place == "docker":
        return _in_container(project), ""
    missing = _missing_engine() if place == "auto" else ""
    in_container = None if missing or place == "bwrap" else _in_container(project)
    return in_container or _in_bubblewrap(project), missing


@contextmanager
def lock_environment(built: BuiltEnvironment) -> Iterator[None]:
    """Keep what was set up from being removed as long as this lasts.

    The engine sees to its images, as long as a container stands on them.

    Raises:
        OSError: it was removed.
    """
    if built.place == "docker":
        yield
        return
    from evograft_env_setup.sandbox.bwrap.kept_environments import hold
    from evograft_env_setup.sandbox.bwrap.own_folder import lock_packages

    with hold(Path(built.folder)), lock_packages(Path(built.packages)):
        yield


def _in_container(project: str) -> FoundEnvironment | None:
    with connect() as client:
        image = find_kept(client, project)
        return _of_image(image, project) if image else None


def _of_image(image: Any, project: str) -> FoundEnvironment:
    # Images of versions before this one say nothing of their volume.
    volume = image.labels.get(VOLUME) or volume_name(project, as_root=False)
    variables = dict(entry.partition("=")[::2] for entry in image.attrs["Config"].get("Env") or ())
    planned = SelectedEnvironment.model_validate_json(image.labels[PLAN])
    return FoundEnvironment(describe_built(image.tags[0], volume, variables), planned, load_made_plan(image))


def _in_bubblewrap(project: str) -> FoundEnvironment | None:
    from evograft_env_setup.sandbox.bwrap.kept_environments import find_newest, find_record
    from evograft_env_setup.sandbox.bwrap.own_folder import packages_of
    from evograft_env_setup.sandbox.bwrap.sandbox import describe_built as built_in_bubblewrap

    folder = find_newest(project)
    record = find_record(folder) if folder else None
    if folder is None or record is None:
        return None
    environment = built_in_bubblewrap(folder, packages_of(project), record.programs)
    return FoundEnvironment(environment, record.planned, record.made)
