"""Options that several commands of `evo env` take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from evograft_env_setup.options import EnvSetupOptions

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def place_option(meaning: str) -> Decorator:
    return click.option(
        "--place", type=click.Choice(["auto", "docker", "bwrap"]), default="auto", show_default=True, help=meaning
    )


def timeout_option(default: int, of: str) -> Decorator:
    return click.option(
        "--timeout",
        type=click.IntRange(1, 86_400),
        default=default,
        show_default=True,
        help=f"Seconds of {of}, up to a day.",
    )


def memory_option(of: str) -> Decorator:
    return click.option(
        "--memory-mb", type=click.IntRange(64, 1 << 30), default=8192, show_default=True, help=f"Of {of}."
    )


def read_options(**given: Any) -> EnvSetupOptions:
    """Return what was given on the command line, checked as a pipeline's options are.

    Raises:
        UserError: one of them is at fault.
    """
    from pydantic import ValidationError

    from evograft.api import UserError, explain_validation
    from evograft_env_setup.options import EnvSetupOptions

    try:
        return EnvSetupOptions(**given)
    except ValidationError as err:
        raise UserError(explain_validation(err, EnvSetupOptions)) from err


WHERE_SET_UP = place_option("Where it was set up; auto: in a container, or else in bubblewrap.")
ENVIRONMENTS = click.option("--environments", type=click.Path(), help="A YAML file with environments of your own.")
ENVIRONMENTS_OF_SET_UP = click.option("--environments", type=click.Path(), help="The YAML file that the set-up had.")
