"""The prefix of commands in an environment, as its verification shows: a folder, and words before a command."""

from __future__ import annotations

import posixpath
import re
import shlex

from evograft_env_setup.environments import Environment
from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox import SetupSandbox, SetupSandboxUnavailable
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_hookspecs import FrozenDict

SHORT = 120.0
"""Seconds for a command of ours."""
BY_WHICH_PROGRAMS_ARE_FOUND = ("PATH", "VIRTUAL_ENV", "CONDA_PREFIX")
SHOW_VARIABLES = "; ".join(f'echo "{name}=${name}"' for name in BY_WHICH_PROGRAMS_ARE_FOUND)
CHANGE_OF_FOLDER = re.compile(r"""\s*cd\s+(?!-)((?:[\w./@%+=:,-]|'[^']+'|"[^"$`\\]+")+)\s*&&\s*""")
"""With a folder that the shell takes as it is written: nothing in it is a pattern, a variable or an option."""


def find_folder(plan: SelectedEnvironment, root: str) -> str:
    """Return the folder in which all of the verification runs.

    Args:
        plan: as it was carried out.
        root: in which each of its commands begins; the answer where they go to different folders.
    """
    folders = {posixpath.normpath(posixpath.join(root, _split_command(each.command)[0])) for each in plan.verification}
    return folders.pop() if len(folders) == 1 else root


def find_prefix(plan: SelectedEnvironment, environment: Environment) -> tuple[str, ...]:
    """Return the words, known from the environment's recipes, behind which all of the verification runs."""
    commands = [_split_command(each.command)[1] for each in plan.verification]
    for within in dict.fromkeys(recipe.within for recipe in environment.recipes if recipe.within):
        if all(command.startswith(f"{within} ") for command in commands):
            return tuple(shlex.split(within))
    return ()


def with_prefix(built: BuiltEnvironment, plan: SelectedEnvironment, environment: Environment) -> BuiltEnvironment:
    """Return what was built, with the folder and the words that its verification shows."""
    return built.model_copy(
        update={
            "working_directory": find_folder(plan, built.working_directory),
            "within": find_prefix(plan, environment),
        }
    )


def _split_command(command: str) -> tuple[str, str]:
    """Return the folder that a command changes to before anything else, and the rest of it."""
    folder = ""
    while change := CHANGE_OF_FOLDER.match(command):
        folder = posixpath.join(folder, *shlex.split(change[1]))
        command = command[change.end() :]
    return folder, command


def with_variables(built: BuiltEnvironment, sandbox: SetupSandbox) -> BuiltEnvironment:
    """Return what was built, with the variables by which programs are found without the words before a command.

    Those words may be of a tool that writes, such as `uv run`, which a read-only sandbox does not let it do.
    """
    if not built.within:
        return built
    try:
        shown = sandbox.run(build_command_line(built, ("sh", "-c", SHOW_VARIABLES)), timeout=SHORT, network=False)
    except SetupSandboxUnavailable:  # what was set up is kept already
        return built
    if shown.exit_code:
        return built
    lines = (line.partition("=") for line in shown.stdout.splitlines())
    # The words may be a program of the project's: a value with a NUL would be one that no command can be given.
    known = {name: value for name, _, value in lines if name in BY_WHICH_PROGRAMS_ARE_FOUND}
    found = {name: value for name, value in known.items() if value and "\0" not in value}
    return built.model_copy(update={"variables": FrozenDict({**built.variables, **found})})


def build_command_line(built: BuiltEnvironment, words: tuple[str, ...]) -> str:
    """Return the line of shell that runs a command there."""
    return f"cd {shlex.quote(built.working_directory)} && {shlex.join((*built.within, *words))}"
