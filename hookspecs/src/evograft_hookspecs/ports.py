"""The services: one protocol per kind of driver, and the values that go through them.

A driver is chosen by name in the pipeline (`llm: {driver: ollama}`) and found through the entry point group
`evograft.llm`, `evograft.executor`, `evograft.sandbox` or `evograft.store`. The entry point names a class with an
`Options` model, called with an instance of it: the other keys of its section of the pipeline.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Annotated, Literal, Protocol, runtime_checkable

from pydantic import Field

from evograft_hookspecs.contexts import EvalTask
from evograft_hookspecs.types import Evaluation, Tool, ToolCall, ToolResult, Trial
from evograft_hookspecs.values import Count, FrozenDict, Name, Number, Text, Value

# -- llm --------------------------------------------------------------------------------------------------------------


class Message(Value):
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: Text


class LlmRequest(Value):
    """A question to a model. Equal requests have equal hashes, which is how a logged answer is found again."""

    messages: tuple[Message, ...]
    max_tokens: Annotated[int, Field(strict=True, ge=1)]
    """Mandatory, since money is reserved before a call starts."""
    model: Text = ""
    """Empty: the model drawn for the trial. Another one must be among the pipeline's models."""
    temperature: Number | None = None
    """`None`: the provider's default."""
    stop: tuple[Text, ...] = ()

    def digest(self) -> str:
        """32 hexadecimal digits: the hash of the whole request."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:32]


class LlmCall(Value):
    """A request on its way to a driver."""

    request: LlmRequest
    """With its model filled in."""
    key: Name
    """Its place in the run, `scope:digest:occurrence`: the same whenever the run comes to it again."""
    trial: Count | None = None


class Price(Value):
    """US dollars per million tokens."""

    prompt: Annotated[float, Field(strict=True, ge=0)]
    completion: Annotated[float, Field(strict=True, ge=0)]


class Usage(Value):
    """What a call cost."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    dollars: Number | None = None
    """`None`: the price is unknown, which is not the same as 0. Set by the kernel from the run's prices."""
    estimated: bool = False
    """Whether the provider counted no tokens, and these are upper bounds from the length of the texts."""


class LlmAnswer(Value):
    """A model's answer."""

    text: Text
    model: Name
    finish: Literal["stop", "length", "filter"] = "stop"
    """`length`: cut off at `max_tokens`; `filter`: withheld by the provider."""
    usage: Usage | None = Usage()
    """`None` from a driver: the provider did not count. What hooks and the log get is never `None`."""
    charged: Usage = Usage()
    """What requests of this call have cost that got no answer, before the one that did. Set by the kernel."""


class LlmDriver(Protocol):
    """A way to models. The kernel logs, retries, counts and limits around it; a driver asks, once a call."""

    @property
    def available(self) -> bool:
        """Whether there is a model at all: false for the driver `none`."""

    @property
    def patient(self) -> bool:
        """Whether a person answers: such a call has no time limit and is given up at once when the run stops."""

    @property
    def default_model(self) -> str:
        """The model that is asked where the pipeline names none; empty: it has to name one."""

    def price(self, model: str) -> Price | None:
        """The price of a model, asked for when a run starts and kept in its lock file; `None`: unknown."""

    def open(self, folder: Path) -> None:
        """Gets ready to work for the run of this folder; `price` and `close` may come without it.

        Raises:
            LlmUnavailable: it can't work here (no key, a recorded run that is gone); the message says what to do.
        """

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        """Asks once, without retries of its own; called from several threads.

        Args:
            call: the question and its place in the run.
            timeout: seconds of wall time.

        Raises:
            LlmRetryable: the same call may go through later (rate limit, time-out, 5xx, broken connection).
            LlmRefused: this request will not be answered, whatever one waits (too long, malformed).
            LlmUnavailable: no request will be (bad key, unknown model, no credit).
        """

    def close(self) -> None:
        """Ends connections; `complete` may still be waiting in other threads."""


@runtime_checkable
class ModelChecker(Protocol):
    """A driver for models that knows something about a model without asking it; a driver need not be one."""

    def require_model(self, model: str) -> None:
        """Checks, once the driver is open and before a run is kept, that a model can be asked.

        Raises:
            LlmUnavailable: it cannot be from here (no such provider, no key); the message says what to do.
        """


class LlmRetryable(Exception):  # noqa: N818 - it says how to react
    """A model did not answer this time.

    Args:
        reason: what happened, one line, without keys.
        retry_after: seconds that the provider asks to wait, if it said so.
        usage: what the request cost all the same; `None`: nobody knows (a time-out, an answer that was cut).
    """

    def __init__(self, reason: str, *, retry_after: float | None = None, usage: Usage | None = Usage()) -> None:  # noqa: B008 - frozen
        super().__init__(reason)
        self.retry_after = retry_after
        self.usage = usage


class LlmRefused(Exception):  # noqa: N818 - it says how to react
    """A model will not answer this request, whatever one waits; another request it may.

    Args:
        reason: what is wrong, one line, without keys.
        usage: as of `LlmRetryable`; for a hook, what all requests of its call have cost.
    """

    def __init__(self, reason: str = "", *, usage: Usage | None = Usage()) -> None:  # noqa: B008 - frozen
        super().__init__(reason)
        self.usage = usage


class LlmUnavailable(Exception):  # noqa: N818 - it says how to react
    """No model will answer anything until somebody fixes it: the run ends, resumable."""


class EmbeddingDriver(Protocol):
    """A way to vectors in which like texts lie near one another (entry point group `evograft.embedding`)."""

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """One vector a text, all of one length; called from one thread at a time.

        Raises:
            LlmRetryable: the same call may go through later.
            LlmUnavailable: it can't work here.
        """

    def close(self) -> None:
        """Ends connections."""


class ProgramComparer(Protocol):
    """A way to tell which programs are one although their texts differ (entry point group `evograft.novelty`).

    Called from several threads at a time. Programs are files by path, of hostile origin and possibly broken; a suffix that
    tells the language counts for more than `language`.
    """

    def sketch(self, files: Mapping[str, str], kind: str, language: str) -> str:
        """Return hexadecimal digits that all programs of one fingerprint share, at a fraction of its cost; empty: none."""

    def fingerprint(self, files: Mapping[str, str], kind: str, language: str) -> str:
        """Return 32 hexadecimal digits that are equal for programs that are one, and for no others."""

    def shingles(self, files: Mapping[str, str], language: str) -> frozenset[int]:
        """Return the parts of a program by which it is compared with others."""

    def similarity(self, a: frozenset[int], b: frozenset[int]) -> float:
        """Return how much two programs' shingles have in common, from 0 to 1."""


class LlmService(Protocol):
    """What hooks get as `ctx.llm`."""

    @property
    def available(self) -> bool:
        """Whether there is a model at all: false with the driver `none`."""

    def complete(self, request: LlmRequest) -> LlmAnswer:
        """Asks a model; an answer that is in the run's log already is returned from there.

        Waiting does not count against the deadline of the call. A provider that stays down, and a budget that is
        used up, end the run: the hook that asked does not go on then.

        Raises:
            LlmRefused: by the provider, or since the driver is `none`.
        """


class History(Protocol):
    """What hooks get as `ctx.history`: the trials that the one at hand may know, read from the log."""

    def trial(self, number: int) -> Trial:
        """A committed trial of the view, such as a parent's parent.

        Raises:
            KeyError: there is none of this number in the view.
        """

    def latest(self, count: int) -> tuple[Trial, ...]:
        """The newest trials of the view, at most `count`, oldest first."""


class ToolService(Protocol):
    """What hooks get as `ctx.tools`."""

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools that can be called: those of the pipeline's plugins, in its order, as far as it lets agents have them."""

    def call(self, call: ToolCall) -> ToolResult:
        """Lets the plugin that offers the tool carry it out; an unknown tool is a result that is not `ok`."""


# -- executor ---------------------------------------------------------------------------------------------------------


Evaluator = Callable[[EvalTask], Evaluation]
"""Carries out an `EvalTask` with the plugins of this process."""


class WorkerLost(Exception):  # noqa: N818 - it says how to react
    """The worker died before it answered; the task may be given to another one."""


class TaskExpired(Exception):  # noqa: N818 - it says how to react
    """The task ran past its limit and was given up."""


class Executor(Protocol):
    """Where `evaluate` runs."""

    @property
    def workers(self) -> int:
        """How many evaluations run at a time."""

    @property
    def hung(self) -> int:
        """How many workers are lost to calls that were given up and have not returned."""

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:
        """Gets ready; `close` may come without it.

        Args:
            local: evaluates with the kernel's own plugins, in this process.
            remote: picklable; called once in each worker process, it builds that worker's plugins.
        """

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        """Evaluates somewhere; the future may also raise `WorkerLost`, `TaskExpired`, or what the plugin raised."""

    def close(self, *, abandon: bool = False) -> None:
        """Ends all workers, at once if `abandon`; leaves no process behind."""


# -- sandbox ----------------------------------------------------------------------------------------------------------

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
    """Time in which neither it nor whom it talks to computes or waits for a core, as far as the kernel counts that: unlike
    `wall_seconds`, it does not depend on how busy the machine is. `None`: as long as it likes."""


_PART = r"([^/.\x00][^/\x00]*|\.[^/.\x00][^/\x00]*|\.\.[^/\x00]+)"
"""Any file name but `.` and `..`."""
SandboxPath = Annotated[Text, Field(pattern=rf"^{_PART}(/{_PART})*$")]
"""A relative path, its parts divided by `/`, that does not leave the folder it starts from."""


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
    """Path in its folder to path in the session's folder: plain files that it leaves for others. A missing one is none: what
    the session had at that path is removed before the command starts, so what is there afterwards is this command's."""
    limits: SandboxLimits = SandboxLimits()


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


class SandboxLayer(Value):
    """One wall of a sandbox, reported at start."""

    name: Name
    active: bool
    detail: Text = ""
    """What it forbids, or why it is missing here."""


class SandboxUnavailable(Exception):  # noqa: N818 - it says how to react
    """No sandbox of this kind can be had until somebody fixes it; the message says what to do."""


class SandboxLost(Exception):  # noqa: N818 - it says how to react
    """A session ended, or was never in order, which is no command's fault: another one may be opened."""


class SandboxSession(Protocol):
    """A long-lived place for the commands of many candidates: no network, no writing outside its folder.

    One command, or pair of commands, at a time: further calls wait. Each method raises `SandboxLost` when the session
    is gone, and an OSError with the reason when it cannot do what it is asked to, such as show a missing file.
    """

    @property
    def python(self) -> str:
        """The Python of a session that was opened with `python=True`, for `arguments`; empty: it has none."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Puts files into the session's folder, which no command sees but for what it is shown.

        Raises:
            TypeError: a content is a text; `source.encode()` makes bytes of it.
        """

    def read(self, path: str) -> bytes:
        """A file of the session's folder; FileNotFoundError if there is none."""

    def remove(self, path: str) -> None:
        """Removes a file of the session's folder; FileNotFoundError if there is none."""

    def run(self, command: SandboxCommand) -> CommandResult:
        """Runs a command to its end; no process of it is left afterwards."""

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
        """Ends and removes the session, a command that runs in it included."""


class SandboxService(Protocol):
    """What hooks get as `ctx.sandbox`: the driver of the pipeline, made ready when it is first used."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:
        """What protects here, and what is missing; raises `SandboxUnavailable` like `open`."""

    def open(
        self, *, image: str = "", mounts: Mapping[str, str] = FrozenDict(), own_core: bool = False, python: bool = False
    ) -> SandboxSession:
        """Starts a session; it is closed by who opened it, or when the run or the worker ends.

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

        Raises:
            SandboxUnavailable: it can't work here, or there is no Python that commands can run; the message says what
                to do. Let it through: the run ends with it, and the plugin is not blamed.
        """


class NoSandbox:
    """Where there is none."""

    def layers(self, *, image: str = "") -> tuple[SandboxLayer, ...]:  # noqa: ARG002
        return ()

    def open(
        self,
        *,
        image: str = "",  # noqa: ARG002 - the protocol's
        mounts: Mapping[str, str] = FrozenDict(),  # noqa: ARG002
        own_core: bool = False,  # noqa: ARG002
        python: bool = False,  # noqa: ARG002
    ) -> SandboxSession:
        raise SandboxUnavailable("there is no sandbox in this context")


class SandboxDriver(SandboxService, Protocol):
    """A way to run programs that are not trusted."""

    def start(self, run: str) -> None:
        """Gets ready to work for the run of this id; removes what dead processes left behind."""

    def close(self) -> None:
        """Closes all sessions."""


# -- store ------------------------------------------------------------------------------------------------------------

RowKind = Literal["header", "problem", "trial", "control", "answer", "charge", "tool", "final"]


class Row(Value):
    """One row of a run's log."""

    seq: Count
    """Its place in the log, from 0, without gaps."""
    kind: RowKind
    key: Text
    """Unique within its kind: the trial's number, the scope and hash of an answer."""
    body: Text
    """JSON."""


class NewRow(Value):
    """A row that is still to be written."""

    kind: RowKind
    key: Text
    body: Text


class Store(Protocol):
    """The append-only log of one run, and its artifacts. Used by several threads, written by one process."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the log that was opened."""

    def create(self, folder: Path, rows: Iterable[NewRow]) -> None:
        """Makes the log of a new run with its first rows, whole or not at all."""

    def open(self, folder: Path, *, durable: bool, writable: bool = True, accept_loss: bool = False) -> None:
        """Opens the log of a run folder.

        Args:
            folder: the run's folder.
            durable: whether a power cut may lose nothing: set when rows cost money.
            writable: false for readers of a run that may be live.
            accept_loss: take the end as it is, even where rows are known to have been lost behind it.

        Raises:
            LogDamaged: when it is not what was written; the message says what to do.
        """

    def append(self, rows: Iterable[NewRow]) -> int:
        """Writes rows in one transaction and returns the place of the last; then `kill -9` does not lose them."""

    def rows(self, *, after: int = -1) -> Iterator[Row]:
        """All rows behind a place that are there now, in order, each checked against the hash chain.

        Raises:
            LogDamaged: at the first row that was changed, or where one is missing.
        """

    def keys(self, kind: RowKind) -> Iterator[tuple[int, str]]:
        """Place and key of all rows of a kind, in order, without reading the rows."""

    def heads(self, kind: RowKind) -> Iterator[Row]:
        """All rows of a kind, in order, with the first lines of their bodies only, unchecked: for a quick look."""

    def get(self, seq: int) -> Row:
        """The row at a place; KeyError if there is none."""

    def put_artifact(self, text: str) -> str:
        """Keeps large text and returns its content hash; called before the row that names it is written."""

    def get_artifact(self, digest: str) -> str:
        """The text with this content hash; LogDamaged if it is lost."""

    def close(self) -> None:
        """Leaves a log that needs no recovery."""
