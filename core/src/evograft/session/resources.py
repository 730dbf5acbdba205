"""The resources that a session holds open: its models, its sandbox, and a folder for temporary files."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evograft.concurrency.shared_lock import SharedLock
from evograft.drivers.llm.replay import Recording, ReplayLlm
from evograft.kernel.plugin_sets import PluginSet
from evograft.kernel.preliminary import PreliminaryEvaluations
from evograft.kernel.services import RunServices
from evograft.llm.service import ModelService
from evograft.log.journal import Journal
from evograft.log.population import Population
from evograft.plugin.hooks import Hooks
from evograft.runs.attached import fetch_attached
from evograft.runs.lock_file import Epoch, RunFolder
from evograft.runs.storage import claim_storage
from evograft.session.lazy_sandbox import LazySandbox
from evograft.session.resolved_run import ResolvedRun
from evograft.session.worker import scope_of
from evograft.text.masking import Keys
from evograft_hookspecs import Event
from evograft_hookspecs.drivers.executor import Executor
from evograft_hookspecs.drivers.shared_store import RunStorage


@dataclass(frozen=True)
class Resources:
    """What plugins reach in a session, whether it evolves something or not."""

    journal: Journal
    population: Population
    models: ModelService
    sandbox: LazySandbox
    scratch: Path
    """A folder for temporary files."""
    lock: SharedLock
    """Shared by the plugins that are not thread-safe."""
    executor: Executor
    recording: Recording | None
    """Of the run that this one repeats; `None`: it repeats none."""

    def plugin_set(self, epoch: Epoch, hooks: Hooks) -> PluginSet:
        """Return the plugins of an epoch with what they reach."""
        services = RunServices(
            hooks,
            self.models,
            self.journal,
            self.population,
            sandbox=self.sandbox,
            preliminary=PreliminaryEvaluations(epoch.pipeline, self.executor, self.population, self.lock),
            recording=self.recording,
        )
        return PluginSet(epoch.first_trial, hooks, scope_of(epoch.pipeline, self.scratch, services), services)


@contextmanager
def open_resources(
    run: RunFolder,
    resolved: ResolvedRun,
    journal: Journal,
    keys: Keys,
    *,
    scratch: Path,
    announce: Callable[[Event], None] | None = None,
) -> Iterator[Resources]:
    """Open the models and the sandbox of a run, and close them behind the block.

    Args:
        run: its folder.
        resolved: its settings, drivers and plugins.
        journal: its log.
        keys: are in no prompt and no answer.
        scratch: a folder for temporary files.
        announce: is told of calls of models.

    Raises:
        ServiceError: the llm driver cannot work here.
    """
    pipeline, lock = resolved.pipeline, SharedLock()
    llm = resolved.open_llm(run.path).llm
    models = ModelService(llm, pipeline.llm, pipeline.budget, journal, lock=lock, keys=keys, announce=announce)
    sandbox = LazySandbox(pipeline.sandbox, run=run.id, driver=resolved.sandbox)
    with closing(models), closing(sandbox):
        recording = llm if isinstance(llm, ReplayLlm) else None
        yield Resources(journal, Population(journal), models, sandbox, scratch, lock, resolved.executor, recording)


@contextmanager
def open_journal(
    run: RunFolder, resolved: ResolvedRun, keys: Keys, *, durable: bool, accept_loss: bool = False
) -> Iterator[Journal]:
    """Open the log of a run, and close it behind the block.

    Args:
        run: its folder.
        resolved: its settings, drivers and plugins.
        keys: are not written.
        durable: whether a power cut may lose nothing.
        accept_loss: whether rows may have been lost behind its end.
    """
    resolved.store.open(run.path, durable=durable, accept_loss=accept_loss)
    with closing(resolved.store):
        yield Journal(resolved.store, keys)


@contextmanager
def open_folder(run: RunFolder) -> Iterator[tuple[RunStorage, Path]]:
    """Become the only process that works on a run, and make a folder for temporary files."""
    with claim_storage(run.path) as storage, _make_scratch_folder(run) as scratch:
        fetch_attached(storage, run.path)
        yield storage, scratch


@contextmanager
def _make_scratch_folder(run: RunFolder) -> Iterator[Path]:
    """Make a folder for temporary files; what earlier sessions of the run had to leave is removed too."""
    # By path too: a run and a copy of it may work at the same time.
    place = hashlib.blake2b(str(run.path).encode(), digest_size=4).hexdigest()
    prefix = f"evo-{run.id}-{place}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)
