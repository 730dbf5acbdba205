"""The choice of a workshop: a container, or bubblewrap where no engine answers; and where a project is set up already."""

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
from evograft_env_setup.sandbox.docker.engine import PLAN, VOLUME, engine, find_kept, made_plan, volume_name
from evograft_env_setup.sandbox.docker.sandbox import DockerOptions, DockerWorkshop, built_environment
from evograft_env_setup.sandbox.setup_sandbox import KeepingWorkshop, WorkshopUnavailable


@dataclass(frozen=True)
class Found:
    """A project that is set up, and by what."""

    environment: BuiltEnvironment
    planned: SelectedEnvironment
    made: SelectedEnvironment
    """The same with commands as they were corrected."""

    def completed(self, environment: Environment) -> BuiltEnvironment:
        """Return what is there, with how commands run in it."""
        return with_prefix(self.environment, self.made, environment)


def open_workshop(
    project: str, environment: Environment, options: EnvSetupOptions, *, image: str = ""
) -> tuple[KeepingWorkshop, str]:
    """A workshop that has not started, and why it is another one than a container; empty if it is none.

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
    container = DockerOptions(
        image=image or environment.usual_image,
        variables=environment.variables,
        network=options.network,
        memory_mb=options.memory_mb,
        as_root=options.as_root,
        fresh=options.fresh,
    )
    return DockerWorkshop(project, container), ""


def _bubblewrap(project: str, environment: Environment, options: EnvSetupOptions) -> KeepingWorkshop:
    from evograft_env_setup.sandbox.bwrap.sandbox import BwrapOptions, BwrapWorkshop

    walls = BwrapOptions(
        variables=environment.variables,
        memory_mb=options.memory_mb,
        network=options.network != "none",
        programs=options.programs,
        fresh=options.fresh,
    )
    return BwrapWorkshop(project, walls)


def _missing_engine() -> str:
    try:
        with engine() as client:
            client.ping()
    except WorkshopUnavailable as err:
        return str(err)
    return ""


def find_environment(project: str, place: str) -> tuple[Found | None, str]:
    """Return where a project is set up.

    Args:
        project: its path, or the address that it was cloned from.
        place: `docker`, `bwrap`, or `auto`: a container is preferred.

    Returns:
        `None` if nothing is known, and then why no engine was asked if none answers.

    Raises:
        WorkshopUnavailable: it must be a container, and no engine answers.
    """
    if place == "docker":
        return _in_container(project), ""
    missing = _missing_engine() if place == "auto" else ""
    in_container = None if missing or place == "bwrap" else _in_container(project)
    return in_container or _in_bubblewrap(project), missing


@contextmanager
def environment_in_use(built: BuiltEnvironment) -> Iterator[None]:
    """As long as this lasts, what was set up is not removed: the engine sees to its images, as long as a container stands on them.

    Raises:
        OSError: it was removed.
    """
    if built.place == "docker":
        yield
        return
    from evograft_env_setup.sandbox.bwrap.kept_environments import held
    from evograft_env_setup.sandbox.bwrap.own_folder import packages_in_use

    with held(Path(built.folder)), packages_in_use(Path(built.packages)):
        yield


def _in_container(project: str) -> Found | None:
    with engine() as client:
        image = find_kept(client, project)
        return _of_image(image, project) if image else None


def _of_image(image: Any, project: str) -> Found:
    # Images of versions before this one say nothing of their volume.
    volume = image.labels.get(VOLUME) or volume_name(project, as_root=False)
    variables = dict(entry.partition("=")[::2] for entry in image.attrs["Config"].get("Env") or ())
    planned = SelectedEnvironment.model_validate_json(image.labels[PLAN])
    return Found(built_environment(image.tags[0], volume, variables), planned, made_plan(image))


def _in_bubblewrap(project: str) -> Found | None:
    from evograft_env_setup.sandbox.bwrap.kept_environments import find_newest, find_record
    from evograft_env_setup.sandbox.bwrap.own_folder import packages_of
    from evograft_env_setup.sandbox.bwrap.sandbox import built_environment as built_in_bubblewrap

    folder = find_newest(project)
    record = find_record(folder) if folder else None
    if folder is None or record is None:
        return None
    environment = built_in_bubblewrap(folder, packages_of(project), record.programs)
    return Found(environment, record.planned, record.made)
