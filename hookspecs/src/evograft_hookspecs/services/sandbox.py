"""What hooks get as `ctx.sandbox`: commands that are not trusted, and what they may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Protocol

from pydantic import Field

from evograft_hookspecs.values import Count, FrozenDict, Name, Number, Text, Value

Positive = Annotated[int, Field(strict=True, ge=1)]

Seconds = Annotated[float, Field(strict=True, gt=0)]


class SandboxLimits(Value):
    """Bounds on one command, over all of its processes."""

    cpu_seconds: Seconds = 10.0
    wall_seconds: Seconds = 20.0
    memory_mb: Positive = 1024
    """Resident memory; pages that processes share count for each of them."""
    processes: Positive = 64
    """Processes and threads at a time."""
    output_bytes: Count = 16_000_000
    """Standard output, and standard error likewise."""
    file_mb: Positive = 256
    """Each file that it writes."""
    idle_seconds: Seconds | None = None
    """Time in which neither it nor whom it talks to computes or waits for a core, as far as the kernel counts that:
    unlike `wall_seconds`, it does not depend on how busy the machine is. `None`: as long as it likes."""


_PART = r"([^/.\x00][^/\x00]*|\.[^/.\x00][^/\x00]*|\.\.[^/\x00]+)"
"""Any file name but `.` and `..`."""

SandboxPath = Annotated[Text, Field(pattern=rf"^{_PART}(/{_PART})*$")]
"""A relative path, its parts divided by `/`, that does not leave the folder it starts from."""


class ForkServer(Value):
    """A program that does what many commands begin with, such as imports, and then forks for each of them.

    It is started in the session when a command first asks for it, confined like one, and kept until another is asked
    for or the session ends. It works in a folder of its own, with its `inputs`, which it and its forks can read and not
    change; `HOME` and `TMPDIR` are the folder of the commands, and empty again when the first begins.

    The environment variable `EVOGRAFT_FORK_SERVER` is the number of a descriptor, a socket that keeps messages apart.
    The program sends one byte when it is ready. Each message that it then receives asks for a command: the number of
    its arguments, the arguments, the number of its environment variables, and those as `NAME=VALUE`, each text with a
    NUL after it; with it come four descriptors, the command's standard input, output and error, and a pipe. It has to
    fork a process that is not its own child any more, such as by forking twice, and to answer with the decimal number
    of that process. This one closes the socket, reads one byte from the pipe, and only then begins; if there is none to
    read, it ends. Its limits are set from outside meanwhile. Once it has read, it asks to die with its parent
    (`PR_SET_PDEATHSIG`), closes the descriptors that it was sent, and goes to the folder `HOME`.

    Commands have the program's own user. So before it is ready it makes its memory unreadable (`PR_SET_DUMPABLE` 0), or
    it is not used. A command can still end it, which costs the next one a start; what a command changes of its limits,
    priority or cores is noticed, and another one is started. What the program shares with its forks, each command can
    change for the next: it has no open files whose position matters, and no writable shared memory. Processes of its
    own do not outlive the first command. After three failures in a row it is not started again.
    """

    arguments: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The program and its arguments, as for a command."""
    environment: FrozenDict[Name, Text] = FrozenDict()
    inputs: FrozenDict[SandboxPath, SandboxPath] = FrozenDict()
    """Path in its folder to path in the session's folder. A changed file needs another name: equal servers are one."""
    wall_seconds: Seconds = 60.0
    """What it may take until it is ready."""
    processes: Positive = 64
    """The most that any of its commands may have at a time."""


class SandboxCommand(Value):
    """A command, what it is given, and what it may use.

    It runs in a folder of its own, which is empty but for what its `inputs`, and gone afterwards but for its `outputs`.
    """

    arguments: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The program and its arguments; a program with a `/` is looked for from the command's folder, others on `PATH`."""
    stdin: bytes = b""
    stdin_file: SandboxPath | None = None
    """A file of the session as its standard input, instead of `stdin`. It need not see that file."""
    environment: FrozenDict[Name, Text] = FrozenDict()
    """Beside `PATH`, `HOME`, `TMPDIR` and `LANG`. Nothing of the host's is there."""
    inputs: FrozenDict[SandboxPath, SandboxPath] = FrozenDict()
    """Path in its folder to path in the session's folder: files that it can read and execute, and not change."""
    outputs: FrozenDict[SandboxPath, SandboxPath] = FrozenDict()
    """Path in its folder to path in the session's folder: plain files that it leaves for others. A missing one is no
    error: what the session had at that path is removed before the command starts, so what is there afterwards is this
    command's."""
    limits: SandboxLimits = SandboxLimits()
    fork_server: ForkServer | None = None
    """What may begin it. Where that does not work, such as in a session without the layers that keep it safe, the
    command is run by its own `arguments`: the result is to be the same, and takes longer."""


class CommandResult(Value):
    """How a command in a sandbox ended."""

    exit_code: int
    """Negative: the signal that ended it; 127: its program could not be run, `stderr` says why."""
    stdout: bytes
    stderr: bytes
    cpu_seconds: Number
    wall_seconds: Number
    waited_seconds: Number = 0.0
    """What its processes, together, were ready to run while others had the cores; of more threads than one, only those
    that were seen. 0 where nobody counts it."""
    peak_memory_mb: Number
    limit: Literal["", "cpu", "wall", "memory", "processes", "output", "idle"] = ""
    """The limit that ended it, or that it was found to have passed when it had ended."""
    forked: bool = False
    """Whether its fork server began it."""


class SandboxLayer(Value):
    """One layer of protection of a sandbox, reported at start."""

    name: Name
    active: bool
    detail: Text = ""
    """What it forbids, or why it is missing here."""


class SandboxUnavailable(Exception):  # noqa: N818 - it says how to react
    """No sandbox of this kind can be had until somebody fixes it; the message says what to do."""


class SandboxLost(Exception):  # noqa: N818 - it says how to react
    """A session ended, or was never in order, which is no command's fault: another one may be opened."""


class SandboxSession(Protocol):
    """A long-lived place for the commands of many candidates, who write to its folder only.

    There is no network but where it was asked for.

    One command, or pair of commands, at a time: further calls wait. Each method raises `SandboxLost` when the session
    is gone, and an OSError with the reason when it cannot do what it is asked to, such as show a missing file.
    """

    @property
    def python(self) -> str:
        """The Python of a session that was opened with `python=True`, for `arguments`; empty: it has none."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Put files into the session's folder; a command sees only those it is given.

        Raises:
            TypeError: a content is a text; `source.encode()` makes bytes of it.
        """

    def read(self, path: str) -> bytes:
        """Return a file of the session's folder; FileNotFoundError if there is none."""

    def remove(self, path: str) -> None:
        """Remove a file of the session's folder; FileNotFoundError if there is none."""

    def run(self, command: SandboxCommand) -> CommandResult:
        """Run a command to its end; no process of it is left afterwards."""

    def run_interactive(
        self, program: SandboxCommand, interactor: SandboxCommand, *, spawned_by_interactor: bool = False
    ) -> tuple[CommandResult, CommandResult]:
        """Run a program and the interactor that talks to it, each with its own folder, limits, and user where possible.

        Neither sees the other's files. What goes from one to the other is in neither result. A program that outlives
        its interactor is ended. The roles are those of interactive problems in programming contests.

        Args:
            program: what it reads is decided by the pairing, not by its `stdin`.
            interactor: is trusted with the verdict, and confined all the same.
            spawned_by_interactor: the interactor starts the program by running `./candidate`, once, without
                arguments, and gives it its standard input and output; else each reads what the other writes.
        """

    def close(self) -> None:
        """End and remove the session, including a command that runs in it."""


class SandboxService(Protocol):
    """What hooks get as `ctx.sandbox`: the driver of the pipeline, made ready when it is first used."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        """Return what protects here and what is missing; raises `SandboxUnavailable` like `open`."""

    def open(
        self,
        *,
        image: str = "",
        mounts: Mapping[str, str] = FrozenDict(),
        own_core: bool = False,
        python: bool = False,
        network: bool = False,
    ) -> SandboxSession:
        """Start a session; whoever opened it closes it, or the end of the run or worker does.

        Args:
            image: what the driver calls an environment: a container image, a folder with a system; empty: the one
                that the pipeline names, else the host's.
            mounts: path inside to path outside, all read-only and seen by all commands. The same path for both works
                with every driver.
            own_core: keep one core of the machine to this session, for times that can be compared. Where none is
                left, the session shares all.
            python: show commands a Python, which the session names as `python`: without an image the one that runs
                this hook, with all that is installed for it (`numpy`, and the plugins too), read-only and under its own
                path; with an image the `python3` of that image.
            network: let commands use the machine's network, all of it: only where the user asked for it.

        Raises:
            SandboxUnavailable: it can't work here, or there is no Python that commands can run; the message says what
                to do. Let it through: the run ends with it, and the plugin is not blamed.
        """


class NoSandbox:
    """The sandbox of a context that has none, such as a test's."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:  # noqa: ARG002
        return ()

    def open(
        self,
        *,
        image: str = "",  # noqa: ARG002 - the protocol's
        mounts: Mapping[str, str] = FrozenDict(),  # noqa: ARG002
        own_core: bool = False,  # noqa: ARG002
        python: bool = False,  # noqa: ARG002
        network: bool = False,  # noqa: ARG002
    ) -> SandboxSession:
        raise SandboxUnavailable("there is no sandbox in this context")
