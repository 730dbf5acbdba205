"""The choice of a workshop: a container, or bubblewrap where no engine answers."""

from __future__ import annotations

from evograft_env_setup.environments import Environment
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.workshop.docker import DockerOptions, DockerWorkshop
from evograft_env_setup.workshop.engine import engine
from evograft_env_setup.workshop.workshop import Workshop, WorkshopUnavailable


def open_workshop(
    project: str, environment: Environment, options: EnvSetupOptions, *, image: str = ""
) -> tuple[Workshop, str]:
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


def _bubblewrap(project: str, environment: Environment, options: EnvSetupOptions) -> Workshop:
    from evograft_env_setup.workshop.bwrap import BwrapOptions, BwrapWorkshop

    walls = BwrapOptions(
        variables=environment.variables,
        memory_mb=options.memory_mb,
        network=options.network != "none",
        programs=options.programs,
    )
    return BwrapWorkshop(project, walls)


def _missing_engine() -> str:
    try:
        with engine() as client:
            client.ping()
    except WorkshopUnavailable as err:
        return str(err)
    return ""
