"""Sessions of a run: opens its folder and builds a kernel with everything that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evograft.kernel.duplicates import Duplicates
from evograft.kernel.inbox import Inbox
from evograft.kernel.kernel import Kernel
from evograft.kernel.plan import RunParts
from evograft.kernel.plugin_sets import PluginSet, PluginSets
from evograft.plugin.hooks import hooks_for
from evograft.plugin.loading import ActivePlugin, active_plugins
from evograft.runs.lock_file import Epoch, RunFolder
from evograft.runs.mailbox import Mailbox
from evograft.session.resolved_run import ResolvedRun
from evograft.session.resources import Resources, open_folder, open_journal, open_resources
from evograft.session.session_plan import plan_session
from evograft.session.settings_changes import resolve_changes
from evograft.text.masking import Keys


@contextmanager
def open_session(
    run: RunFolder,
    *,
    observers: Sequence[ActivePlugin] = (),
    overrides: Sequence[str] = (),
    accept_loss: bool = False,
    resolved: ResolvedRun | None = None,
) -> Iterator[Kernel]:
    """Make a kernel that is ready to run or to continue, the only writer of its run.

    Args:
        run: its folder.
        observers: next to the plugins of the run.
        overrides: changed settings, each `KEY=VALUE`.
        accept_loss: whether the run continues although the last rows of its log are known to be lost.
        resolved: what the start of the run has built; `None`: it is built here.
    """
    with open_folder(run) as (storage, scratch):
        resolved = resolved or resolve_changes(run.pipeline, overrides)
        keys = Keys.of(resolved.pipeline.to_data(), *(epoch.pipeline.to_data() for epoch in run.epochs))
        durable, inbox = resolved.pipeline.llm.driver != "none", Inbox()
        with open_journal(run, resolved, keys, durable=durable, accept_loss=accept_loss) as journal:
            plan, plugin_epochs = plan_session(run, resolved, overrides, journal, scratch=scratch, keys=keys)
            with (
                open_resources(run, resolved, journal, keys, scratch=scratch, announce=inbox.put_event) as resources,
                Duplicates.open(
                    resolved.pipeline.novelty, resources.population, resolved.comparer, resolved.embedding, keys
                ) as duplicates,
            ):
                parts = RunParts(
                    plugin_sets=_plugin_sets(plugin_epochs, resolved, resources, observers),
                    journal=journal,
                    population=resources.population,
                    duplicates=duplicates,
                    executor=resolved.executor,
                    models=resources.models,
                    mailbox=Mailbox(storage),
                    inbox=inbox,
                )
                yield Kernel(plan, parts)


def _plugin_sets(
    plugin_epochs: Sequence[Epoch], resolved: ResolvedRun, resources: Resources, observers: Sequence[ActivePlugin]
) -> PluginSets:
    """Return the plugins of each epoch; those of the newest are built already, and observers go with them."""
    newest = plugin_epochs[-1]

    def plugin_set(epoch: Epoch) -> PluginSet:
        pipeline = epoch.pipeline
        plugins = (*resolved.plugins, *observers) if epoch is newest else active_plugins(pipeline)
        hooks = hooks_for(pipeline, plugins, lock=resources.lock)
        return resources.plugin_set(epoch, hooks)

    return PluginSets([plugin_set(epoch) for epoch in plugin_epochs])
