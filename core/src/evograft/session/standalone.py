"""Where a conversation outside of any run is held: its plugins, its models, and the log of what they answered."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from evograft.concurrency.shared_lock import SharedLock
from evograft.config.pipeline import Pipeline, resolve_pipeline
from evograft.errors import HookAborted, UserError
from evograft.kernel.plugin_sets import require_ready
from evograft.kernel.services import RunServices
from evograft.llm.service import ModelService
from evograft.log.codec import header_row
from evograft.log.journal import Journal
from evograft.log.population import Population
from evograft.plugin.context import Scope
from evograft.plugin.hooks import Hooks
from evograft.plugin.loading import active_plugins, load_driver
from evograft.runs.folder import (
    Epoch,
    RunFolder,
    WriterLock,
    make_folder,
    read_lock_file,
    refuse_keys,
    writer_of,
)
from evograft.session.lazy_sandbox import LazySandbox
from evograft.session.session import scratch_of
from evograft.session.start import header_of, open_llm, priced_llm
from evograft.session.worker import scope_of
from evograft.text.masking import Keys
from evograft.user_folders import CONVERSATIONS, ensure_state_folder
from evograft_hookspecs import Context, FrozenDict

PASSING = "evograft-"
QUESTION = "question"
"""Of the folders of conversations of which nothing stays: how their parents' names begin, and what they are called."""


@dataclass(frozen=True)
class StandaloneContext:
    """What an agent works with."""

    ctx: Context
    _models: ModelService
    _prices_known: bool

    @property
    def tokens(self) -> int:
        """Taken by all calls of the conversation, those of earlier sessions included."""
        return self._models.ledger.spent_tokens

    @property
    def dollars(self) -> float | None:
        """Likewise; `None`: the price of a model is unknown."""
        return self._models.ledger.spent_dollars if self._prices_known else None

    def give_up(self) -> None:
        """Ends the call that is under way, on whatever thread; the agent's next one ends at once. Both raise `RunStopping`."""
        self._models.close()


def require_model(pipeline: Pipeline) -> None:
    """A pipeline without a model is a UserError that says what to set."""
    if not load_driver("llm", pipeline.llm).available:
        raise UserError(
            "llm.driver: an agent needs a model, and none is set: --llm openai:MODEL, ollama:MODEL or litellm:MODEL, or "
            "--llm manual to answer its prompts yourself"
        )


def begin_conversation(pipeline: Pipeline, folder: Path) -> RunFolder:
    """Checks everything that can be checked, and makes the folder of a conversation with its log.

    Raises:
        UserError: the settings are at fault, or there is no model.
    """
    run = make_folder(_checked(pipeline), runs=folder.parent, folder=folder)
    load_driver("store", pipeline.store).create(run.path, [header_row(header_of(run))])
    run.save()
    return run


def find_conversation(folder: Path, overrides: Sequence[str], *, fitted: Callable[[Pipeline], Pipeline]) -> RunFolder:
    """The folder of a conversation that goes on, its settings changed where that is asked for.

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
    pipeline = _checked(fitted(resolve_pipeline(run.pipeline.to_data(), overrides, source=str(folder))))
    refuse_keys(pipeline)
    changed = replace(run, epochs=(Epoch(0, pipeline, run.epochs[-1].versions),))
    changed.save()
    return changed


@contextmanager
def open_standalone(run: RunFolder, caller: str) -> Iterator[StandaloneContext]:
    """Opens the models and plugins of a conversation. What ends a call for good is raised as what it is.

    Args:
        run: the folder of the conversation.
        caller: the plugin in whose name models are asked.
    """
    pipeline, lock, keys = run.pipeline, SharedLock(), Keys.of(run.pipeline.to_data())
    with WriterLock(run.path), scratch_of(run) as scratch, _journal(run, keys) as journal:
        hooks = _hooks(pipeline, lock)
        models = ModelService(
            open_llm(pipeline.llm, run.path), pipeline.llm, pipeline.budget, journal, lock=lock, keys=keys
        )
        with closing(models), closing(LazySandbox(pipeline.sandbox, run=run.id)) as sandbox:
            services = RunServices(hooks, models, journal, Population(journal), sandbox)
            scope = _ready(hooks, scope_of(pipeline, scratch, services))
            prices_known = all(model.price for model in pipeline.llm.models)
            try:
                yield StandaloneContext(scope.context("converse", caller), models, prices_known)
            except HookAborted as end:
                raise end.error from end


@contextmanager
def open_temporary(
    pipeline: Pipeline, caller: str, *, tell_folder: Callable[[Path], None]
) -> Iterator[StandaloneContext]:
    """A desk for a single question: when it is closed nothing of the conversation stays.

    Args:
        pipeline: of the conversation.
        caller: the plugin in whose name models are asked.
        tell_folder: tells the user where the prompts are, if they are to be answered by hand.

    Raises:
        UserError: the settings are at fault, or there is no model.
    """
    with TemporaryDirectory(prefix=f"{PASSING}{caller}-") as folder:
        run = begin_conversation(pipeline, Path(folder) / QUESTION)
        if pipeline.llm.driver == "manual":
            tell_folder(run.path)
        with open_standalone(run, caller) as opened:
            yield opened


def live_folders() -> list[Path]:
    """Return the folders of this user's conversations, kept and temporary, that a process works on at this moment."""
    kept = sorted(ensure_state_folder(CONVERSATIONS).glob("*/"), reverse=True)
    passing = Path(gettempdir()).glob(f"{PASSING}*/{QUESTION}")
    return [folder for folder in (*kept, *filter(_is_private, passing)) if writer_of(folder) is not None]


def _is_private(folder: Path) -> bool:
    """Whether only this user can have put it there: anybody may make folders and links in that for temporary files."""
    try:
        parent, own = folder.parent.lstat(), folder.lstat()
    except OSError:
        return False
    is_closed = stat.S_IMODE(parent.st_mode) & 0o022 == 0
    return is_closed and all(stat.S_ISDIR(each.st_mode) and each.st_uid == os.getuid() for each in (parent, own))


@contextmanager
def _journal(run: RunFolder, keys: Keys) -> Iterator[Journal]:
    store = load_driver("store", run.pipeline.store)
    store.open(run.path, durable=True)
    with closing(store):
        yield Journal(store, keys)


def _checked(pipeline: Pipeline) -> Pipeline:
    """With the prices of its models; raises `UserError`."""
    require_model(pipeline)
    _hooks(pipeline, SharedLock())
    return pipeline.model_copy(update={"llm": priced_llm(pipeline)})


def _hooks(pipeline: Pipeline, lock: SharedLock) -> Hooks:
    """Of plugins that evolve nothing here: they have tools."""
    return Hooks(active_plugins(pipeline), {}, lock=lock, owned=(), tools=pipeline.tools)


def _ready(hooks: Hooks, scope: Scope) -> Scope:
    reports = hooks.setup_env(scope)
    for plugin, report in reports.items():
        require_ready(plugin, report)
    return scope.with_facts(environment=FrozenDict(reports))
