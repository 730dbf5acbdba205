"""The driver `dask`: evaluations on a Dask cluster that is there, or that the run starts."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Annotated, Any, Self

from distributed import Client, Security
from distributed import Future as DaskFuture
from pydantic import Field, model_validator

from evograft.errors import ServiceError, UserError
from evograft_cluster.coordinator.cluster_driver import ClusterExecutor, ClusterOptions
from evograft_cluster.coordinator.crew import Crew
from evograft_cluster.coordinator.factories import Factory
from evograft_cluster.coordinator.muted_logs import muted_logs
from evograft_cluster.messages import Order, Packed
from evograft_cluster.requirements import EvaluationResources, Requirements
from evograft_cluster.worker.checks import find_lacking
from evograft_cluster.worker.on_dask import evaluate_on_dask
from evograft_hookspecs.values import Count, FrozenDict, Json, Name, Value, thaw

ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?([^\s/:]+|\[[^\s/]+\]):\d{1,5}")
LOOK_SECONDS = 2.0
"""Seconds between two looks at how many workers there are."""


class Adaptive(Value):
    """A cluster that grows and shrinks with the work."""

    minimum: Count = 0
    maximum: Count


class ClusterSection(Factory):
    """A cluster that the run starts, such as `dask_jobqueue:SLURMCluster`."""

    scale: Count | None = None
    """How many workers."""
    adapt: Adaptive | None = None
    """Or between how many, by the work there is."""

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if (self.scale is None) == (self.adapt is None):
            raise ValueError("give `scale` or `adapt`, one of them")
        return self


class DaskOptions(ClusterOptions):
    """Options of the driver `dask`."""

    address: str | None = None
    """Of a scheduler, such as `tcp://head:8786`; or"""
    scheduler_file: Path | None = None
    """the file that a scheduler writes with `--scheduler-file`; or"""
    cluster: ClusterSection | None = None
    """a cluster class by its import path, with its options and its size."""
    security: FrozenDict[Name, Json] = FrozenDict()
    """TLS: the arguments of `distributed.Security`, such as `tls_ca_file`."""
    connect_seconds: Annotated[float, Field(gt=0)] = 10.0
    """Within which a scheduler has to answer."""

    @model_validator(mode="after")
    def _one_scheduler(self) -> Self:
        if sum(each is not None for each in (self.address, self.scheduler_file, self.cluster)) != 1:
            raise ValueError("give one of `address`, `scheduler_file` and `cluster`")
        if self.address is not None and not ADDRESS.fullmatch(self.address):
            raise ValueError(f"`address` is that of a scheduler, such as tcp://head:8786, not {self.address!r}")
        return self


class DaskEngine:
    """A client of a scheduler, which is made again when its connection is lost."""

    def __init__(self, options: DaskOptions, resources: EvaluationResources) -> None:
        self._options = options
        self._resources = _worker_resources(resources)
        self._sent: set[DaskFuture[Packed]] = set()
        with ExitStack() as open_parts:
            open_parts.enter_context(muted_logs())
            self._cluster: Any = None
            if options.cluster is not None:
                self._cluster = open_parts.enter_context(closing(_make_cluster(options.cluster)))
            self._client = self._connect()
            self._open_parts = open_parts.pop_all()
        self._crew = Crew(self._resources)
        self.workers = 0
        self._look()
        self._closing = threading.Event()
        self._counter = threading.Thread(target=self._count, name="dask-workers", daemon=True)
        self._counter.start()

    @property
    def is_deserted(self) -> bool:
        return not self.workers and self._cluster is None  # workers of its own may wait in a queue for hours

    @property
    def state(self) -> str:
        return "" if self.workers else self._crew.trouble

    def check(self, order: Order) -> None:
        requirements = order.requirements
        try:
            infos = self._crew.find_fitting(self._client)
            found = self._ask_workers(list(infos), requirements)
        except OSError as err:
            raise ServiceError(f"executor dask: the scheduler does not answer: {err}") from err
        if not infos and self._crew.is_unfit:
            raise UserError(f"executor dask: {self._crew.trouble}")
        for worker, lacking in found.items():
            if isinstance(lacking, Exception):
                raise UserError(
                    f"worker {worker} cannot be asked what it has: {type(lacking).__name__}: {lacking}; install "
                    f"evograft-cluster {requirements.versions['evograft-cluster']} there"
                )
            if lacking:
                raise UserError(f"worker {worker} does not fit the run: {'; '.join(lacking)}")
        for worker, info in infos.items():
            _require_memory(worker, info, requirements)

    def _ask_workers(self, workers: list[str], requirements: Requirements) -> Mapping[str, Any]:
        """Return what each worker lacks, or what it raised."""
        wanted = requirements.model_dump_json()
        # Of none, Dask would ask all.
        return self._client.run(find_lacking, wanted, workers=workers, on_error="return") if workers else {}

    def send(self, key: str, order: str, remote: bytes, task: bytes) -> Future[Packed]:
        if self._client.status != "running":
            raise ServiceError("the connection to the scheduler was lost")
        # Its retries would evaluate again what a candidate has ended: whom that is to blame for is decided elsewhere.
        sent = self._client.submit(
            evaluate_on_dask, order, remote, task, key=key, pure=False, retries=0, resources=self._resources
        )
        answer: Future[Packed] = Future()
        assert self._client.loop is not None, "a client that runs has one"
        self._sent.add(sent)
        self._client.loop.add_callback(self._pass_on, sent, answer)
        return answer

    async def _pass_on(self, sent: DaskFuture[Packed], answer: Future[Packed]) -> None:
        """Wait for an answer within Dask's event loop; a connection that breaks meanwhile is an answer, too.

        The executor that Dask makes of a client never settles its futures then. Nothing may hold what was sent any
        longer: as long as the scheduler has one task of a run, it may send all that follow to one and the same worker.
        """
        try:
            answer.set_result(await sent)
        except (OSError, CancelledError, asyncio.CancelledError) as err:
            answer.set_exception(CancelledError(str(err)))
        except Exception as err:  # noqa: BLE001 - what became of the attempt, for the dispatcher to judge
            answer.set_exception(err)
        finally:
            self._sent.discard(sent)

    def restore(self) -> None:
        if self._client.status == "running":
            return
        with suppress(OSError, RuntimeError):
            self._client.close(timeout=1)
        self._client = self._connect()

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002 - what nobody waits for, workers give up by themselves
        self._closing.set()
        self._counter.join()
        self._client.close()
        self._open_parts.close()

    def _count(self) -> None:
        """Look now and then how many workers there are: the kernel asks often, and waits for nobody."""
        while not self._closing.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        client = self._client
        if client.status != "running":
            self.workers = 0
            return
        with suppress(OSError, RuntimeError, AttributeError):  # it loses its scheduler at any moment
            self.workers = self._crew.count_threads(client)
            if self._resources and self._crew.is_replaced:
                # A scheduler does not send out again what had nowhere to go until a worker offered more.
                client.cancel(list(self._sent))

    def _connect(self) -> Client:
        options = self._options
        address = options.address if options.scheduler_file is None else _read_address(options.scheduler_file)
        security = _make_security(options, address)
        where = self._cluster if self._cluster is not None else address
        try:
            return Client(where, timeout=options.connect_seconds, security=security, set_as_default=False)
        except (OSError, ValueError, MemoryError) as err:  # Dask takes the words of others for sizes
            raise ServiceError(
                f"executor dask: no scheduler answers at {where} within {options.connect_seconds:g} s ({err}); start "
                "it, correct the address, or raise executor.connect_seconds"
            ) from err


class DaskExecutor(ClusterExecutor[DaskOptions]):
    """A Dask cluster, by its address or by the class that starts it."""

    Options = DaskOptions

    def _connect(self, resources: EvaluationResources) -> DaskEngine:
        return DaskEngine(self.options, resources)


def _read_address(file: Path) -> str:
    """Return the address in a scheduler's file; Dask itself would wait for the file without end.

    Raises:
        ServiceError: the file is not there, or is not a scheduler's.
    """
    try:
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise ServiceError(
            f"executor dask: {file} cannot be read ({type(err).__name__}: {err}); a scheduler writes it: "
            f"dask scheduler --scheduler-file {file}"
        ) from err
    if not isinstance(address, str) or not ADDRESS.fullmatch(address):
        raise ServiceError(f"executor dask: {file} names no scheduler: its address is {address!r}")
    return address


def _make_security(options: DaskOptions, address: str | None) -> Security | None:
    """Return what a connection needs; Dask itself would leave half a client behind that it cannot close.

    Args:
        options: with `security`.
        address: of the scheduler; `None`: a cluster class makes one.

    Raises:
        UserError: the address needs TLS that nothing or too little is said of, or TLS needs another address; Dask knows
            no such option, or cannot read one of the files.
    """
    files = "name your files in executor.security (tls_ca_file, tls_client_cert, tls_client_key)"
    encrypted = (address or "").startswith("tls://")
    if not options.security:
        if encrypted:
            raise UserError(f"executor dask: {address} is reached by TLS: {files}")
        return None
    try:
        security = Security(**thaw(options.security))
        settings = security.get_connection_args("client")
    except TypeError as err:
        raise UserError(f"executor.security: {err}; it takes the arguments of distributed.Security") from err
    except OSError as err:
        raise UserError(f"executor.security: {err}: check the files that it names") from err
    if encrypted and settings["ssl_context"] is None:
        raise UserError(f"executor dask: {address} is reached by TLS: {files}")
    if address and not encrypted and settings["require_encryption"]:
        raise UserError(f"executor.security requires encryption, and {address} has none: give the tls:// address")
    return security


def _make_cluster(section: ClusterSection) -> Any:
    cluster = section.make()
    if section.adapt is not None:
        cluster.adapt(minimum=section.adapt.minimum, maximum=section.adapt.maximum)
    else:
        cluster.scale(section.scale)
    return cluster


def _worker_resources(resources: EvaluationResources) -> dict[str, float]:
    """Return the resources that a worker has to offer; a single core is what each has."""
    return {name: wanted for name, wanted in resources.by_name.items() if wanted and (name, wanted) != ("cores", 1.0)}


def _require_memory(worker: str, info: Mapping[str, Any], requirements: Requirements) -> None:
    """Refuse a worker whose nanny would end what an evaluation may use.

    Raises:
        UserError: with what to start it with.
    """
    limit = info.get("memory_limit") or 0
    if 0 < limit < requirements.memory_mb * 1_000_000:
        raise UserError(
            f"worker {worker} is ended at {limit // 1_000_000} MB by its nanny, an evaluation may need "
            f"{requirements.memory_mb}: start it with a larger --memory-limit"
        )
