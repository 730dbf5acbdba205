"""How commands run in an environment, as its verification shows: in which folder, and behind which words."""

from __future__ import annotations

import re
import shlex

from evograft_env_setup.built_environment import BuiltEnvironment
from evograft_env_setup.environments import Environment
from evograft_env_setup.plan import SelectedEnvironment
from evograft_env_setup.workshop import Workshop, WorkshopUnavailable
from evograft_hookspecs import FrozenDict

SHORT = 120.0
"""Seconds for a command of ours."""
BY_WHICH_PROGRAMS_ARE_FOUND = ("PATH", "VIRTUAL_ENV", "CONDA_PREFIX")
SHOW_VARIABLES = "; ".join(f'echo "{name}=${name}"' for name in BY_WHICH_PROGRAMS_ARE_FOUND)
CHANGE_OF_FOLDER = re.compile(r"cd ([^\s;&|<>$`'\"\\*?]+) && ")


def find_folder(plan: SelectedEnvironment) -> str:
    """Return the folder below the project's root in which all of the verification runs; empty: the root."""
    found = [CHANGE_OF_FOLDER.match(each.command) for each in plan.verification]
    folders = {match[1] if match else "" for match in found}
    return folders.pop() if len(folders) == 1 else ""


def find_prefix(plan: SelectedEnvironment, environment: Environment) -> tuple[str, ...]:
    """Return the words, known from the environment's recipes, behind which all of the verification runs."""
    commands = [CHANGE_OF_FOLDER.sub("", each.command, count=1) for each in plan.verification]
    for within in dict.fromkeys(recipe.within for recipe in environment.recipes if recipe.within):
        if all(command.startswith(f"{within} ") for command in commands):
            return tuple(shlex.split(within))
    return ()


def with_prefix(built: BuiltEnvironment, plan: SelectedEnvironment, environment: Environment) -> BuiltEnvironment:
    """Return what was built, with the folder and the words that its verification shows."""
    folder = find_folder(plan)
    return built.model_copy(
        update={
            "working_directory": f"{built.working_directory}/{folder}" if folder else built.working_directory,
            "within": find_prefix(plan, environment),
        }
    )


def with_variables(built: BuiltEnvironment, workshop: Workshop) -> BuiltEnvironment:
    """Return what was built, with the variables by which programs are found without the words before a command.

    Those words may be of a tool that writes, such as `uv run`, which a read-only sandbox does not let it do.
    """
    if not built.within:
        return built
    try:
        shown = workshop.run(command_line(built, ("sh", "-c", SHOW_VARIABLES)), timeout=SHORT, network=False)
    except WorkshopUnavailable:  # what was set up is kept already
        return built
    if shown.exit_code:
        return built
    lines = (line.partition("=") for line in shown.stdout.splitlines())
    found = {name: value for name, _, value in lines if name in BY_WHICH_PROGRAMS_ARE_FOUND and value}
    return built.model_copy(update={"variables": FrozenDict({**built.variables, **found})})


def command_line(built: BuiltEnvironment, words: tuple[str, ...]) -> str:
    """Return the line of shell that runs a command there."""
    return f"cd {shlex.quote(built.working_directory)} && {shlex.join((*built.within, *words))}"
