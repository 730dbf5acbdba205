"""A place apart from the user's machine, in which a project is set up: a container, or a substitute for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from evograft_env_setup.planning.plan import SelectedEnvironment
from evograft_env_setup.sandbox.built_environment import BuiltEnvironment
from evograft_hookspecs.values import Number, Text, Value

TIMED_OUT = 124
"""Exit code of a command that was ended at its time limit."""


class CommandOutcome(Value):
    """The end of a command."""

    exit_code: int
    """Of the shell; `TIMED_OUT` when the command was ended at its time limit, a negative one is a signal."""
    stdout: Text
    """Decoded; what is not text is replaced."""
    stderr: Text
    seconds: Number


class EnvironmentSnapshot(Value):
    """An environment that a set-up has left, or leaves."""

    environment: BuiltEnvironment
    plan: SelectedEnvironment
    """By which it was made: as it was corrected."""
    notes: tuple[Text, ...] = ()
    """What should be known; a line each."""


class SetupSandboxUnavailable(Exception):  # noqa: N818 - it says how to react
    """There is no place until somebody fixes that; the message is what the engine says, and what to do."""


class SetupSandbox(Protocol):
    """One place for one project. Its owner closes it, whatever happens meanwhile."""

    def start(self) -> Sequence[str]:
        """Get ready; commands will run under the variables of `failures.load_amendments().environment`.

        Returns:
            What should be known about the place, such as a layer that it lacks; a line each.

        Raises:
            SetupSandboxUnavailable: there will be no place; `close` may come all the same.
        """

    def copy_in(self, project: str) -> CommandOutcome:
        """Put a copy of the project where commands run.

        It may be called again after an outcome that is not success, and never after one.

        Args:
            project: a folder of this machine. It goes through no shell.
        """

    def restore(self, planned: SelectedEnvironment) -> EnvironmentSnapshot | None:
        """Make the place as it was when this very project had been set up by the same plan.

        Returns:
            What was recalled; `None` if there is nothing, and then nothing has changed.
        """

    def snapshot(self, planned: SelectedEnvironment, made: SelectedEnvironment) -> EnvironmentSnapshot | None:
        """Keep what was set up, for `recall`.

        Args:
            planned: by which it is found again.
            made: the same with commands as they were corrected.

        Returns:
            What is kept; `None` if nothing can be kept here.

        Raises:
            SetupSandboxUnavailable: it could not be kept.
        """

    def run(
        self,
        command: str,
        *,
        timeout: float,
        network: bool = True,
        on_output: Callable[[str], None] | None = None,
        on_error: Callable[[str], None] | None = None,
    ) -> CommandOutcome:
        """Run a line of shell in the project's folder, to its end or its time limit; none of its processes is left.

        Args:
            command: files that it writes stay; variables that it sets are gone with it.
            timeout: seconds of wall time.
            network: whether it may reach others.
            on_output: is told each piece of output as it comes, of standard error too if there is no `on_error`.
            on_error: is told each piece of standard error.

        Raises:
            SetupSandboxUnavailable: the place is gone.
        """

    def close(self) -> None:
        """Remove the place and all that runs in it."""


class ReopenableSandbox(SetupSandbox, Protocol):
    """A sandbox whose environments can be opened again, each time as the set-up has left them."""

    def reopen(self, environment: BuiltEnvironment) -> None:
        """Get ready with what is kept, instead of by `start` and `bring`.

        Raises:
            SetupSandboxUnavailable: it is not there any more, or there will be no place.
        """

    def update(self, project: str) -> CommandOutcome:
        """Copy the project's files, as they are now, over those of the set-up; files that are gone since stay.

        Args:
            project: a folder of this machine.
        """
