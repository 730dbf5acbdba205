"""Conversations outside of any run: their plugins, their models, and the log of what those answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from evograft.concurrency.shared_lock import SharedLock
from evograft.config.loading import resolve_pipeline
from evograft.config.pipeline import Pipeline
from evograft.errors import HookAborted
from evograft.kernel.plugin_sets import PluginSets
from evograft.llm.service import ModelService
from evograft.plugin.hooks import Hooks
from evograft.runs.folder import make_folder
from evograft.runs.lock_file import Epoch, RunFolder, read_lock_file, refuse_keys
from evograft.session.live_folders import QUESTION, TEMPORARY
from evograft.session.resolved_run import ResolvedRun
from evograft.session.resources import open_folder, open_journal, open_resources
from evograft.session.start import first_row
from evograft_hookspecs import Context


@dataclass(frozen=True)
class StandaloneContext:
    """The context that an agent works with, and the cost of its calls."""

    ctx: Context
    _models: ModelService
    _prices_known: bool

    @property
    def tokens(self) -> int:
        """The tokens of all calls of the conversation, those of earlier sessions included."""
        return self._models.ledger.spent_tokens

    @property
    def dollars(self) -> float | None:
        """The dollars of the same calls; `None`: the price of a model is unknown."""
        return self._models.ledger.spent_dollars if self._prices_known else None

    def give_up(self) -> None:
        """End the call that is under way, on whatever thread, and the agent's next one at once.

        Both raise `RunStopping`.
        """
        self._models.close()


def begin_conversation(pipeline: Pipeline, folder: Path) -> RunFolder:
    """Check everything that can be checked, and make the folder of a conversation with its log.

    Raises:
        UserError: the settings are at fault, or there is no model.
    """
    return _begin(_resolve(pipeline), folder)


def find_conversation(folder: Path, overrides: Sequence[str], *, fitted: Callable[[Pipeline], Pipeline]) -> RunFolder:
    """Return the folder of a conversation that continues, its settings changed where that is asked for.

    Args:
        folder: of the conversation.
        overrides: of its settings.
        fitted: checks changed settings for the agent, and fills in what they leave open.

    Raises:
        UserError: the settings are at fault; they stay as they were.
    """
    run = read_lock_file(folder)
    if not overrides:
        return run
    changed = resolve_pipeline(run.pipeline.to_data(), overrides, source=str(folder))
    pipeline = _resolve(fitted(changed)).pipeline
    refuse_keys(pipeline)
    run = replace(run, epochs=(Epoch(0, pipeline, run.epochs[-1].versions),))
    run.save()
    return run


@contextmanager
def open_standalone(run: RunFolder, caller: str) -> Iterator[StandaloneContext]:
    """Open the models and plugins of a conversation. What ends a call for good is raised as what it is.

    Args:
        run: the folder of the conversation.
        caller: the plugin in whose name models are asked.
    """
    with _open(run, ResolvedRun.build(run.pipeline), caller) as opened:
        yield opened


@contextmanager
def open_temporary(
    pipeline: Pipeline, caller: str, *, tell_folder: Callable[[Path], None]
) -> Iterator[StandaloneContext]:
    """Open the models and plugins for a single question: when it is closed nothing of the conversation stays.

    Args:
        pipeline: of the conversation.
        caller: the plugin in whose name models are asked.
        tell_folder: tells the user where the prompts are, if they are to be answered by hand.

    Raises:
        UserError: the settings are at fault, or there is no model.
    """
    with TemporaryDirectory(prefix=f"{TEMPORARY}{caller}-") as folder:
        resolved = _resolve(pipeline)
        run = _begin(resolved, Path(folder) / QUESTION)
        if pipeline.llm.driver == "manual":
            tell_folder(run.path)
        with _open(run, resolved, caller) as opened:
            yield opened


def _resolve(pipeline: Pipeline) -> ResolvedRun:
    """Build the drivers and plugins of a conversation, with the prices of its models; raise `UserError`."""
    resolved = ResolvedRun.build(pipeline)
    resolved.require_model()
    _hooks(resolved, SharedLock())
    return resolved.with_prices()


def _begin(resolved: ResolvedRun, folder: Path) -> RunFolder:
    run = make_folder(resolved.pipeline, runs=folder.parent, folder=folder)
    resolved.store.create(run.path, [first_row(run)])
    run.save()
    return run


@contextmanager
def _open(run: RunFolder, resolved: ResolvedRun, caller: str) -> Iterator[StandaloneContext]:
    pipeline, keys = resolved.pipeline, resolved.keys
    with (
        open_folder(run) as (_, scratch),
        open_journal(run, resolved, keys, durable=True) as journal,
        open_resources(run, resolved, journal, keys, scratch=scratch) as resources,
    ):
        plugins = PluginSets([resources.plugin_set(run.epochs[-1], _hooks(resolved, resources.lock))])
        plugins.setup_env()
        prices_known = all(model.price for model in pipeline.llm.models)
        try:
            ctx = plugins.newest.scope.context("converse", caller)
            yield StandaloneContext(ctx, resources.models, prices_known)
        except HookAborted as end:
            raise end.error from end


def _hooks(resolved: ResolvedRun, lock: SharedLock) -> Hooks:
    """Return the hooks of plugins that evolve nothing here: they have tools."""
    return Hooks(resolved.plugins, {}, lock=lock, owned=(), tools=resolved.pipeline.tools)
