"""Plugin sets of a run: the original one, and one for every change of plugins, each valid from a given trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evograft.errors import ServiceError
from evograft.kernel.services import RunServices
from evograft.plugin.context import Scope
from evograft.plugin.hooks import Hooks
from evograft_hookspecs import EnvironmentReport, EvalTask, Evaluation, FrozenDict, Problem, Selection, Trial

TOLD_AT_ONCE = 1000
"""How many trials are handed to `select` at once, when many have gathered."""


@dataclass
class PluginSet:
    """One set of plugins, and the committed trials that its `select` was not handed yet."""

    first_trial: int
    hooks: Hooks
    scope: Scope
    services: RunServices
    committed: list[Trial] = field(default_factory=list)

    def select(self, scope: Scope, *, is_committed: Callable[[int], bool]) -> Selection:
        """Return where a trial starts from; the plugins are handed first what was committed since the last one."""
        committed, self.committed = tuple(self.committed), []
        return self.hooks.select(scope, committed, is_committed=is_committed)


class PluginSets:
    """All sets of plugins that a session needs: the set of the newest settings, and those that have trials left."""

    def __init__(self, plugin_sets: Sequence[PluginSet]) -> None:
        self._plugin_sets = tuple(plugin_sets)

    @property
    def older(self) -> tuple[PluginSet, ...]:
        """The sets before the newest that have trials left."""
        return self._plugin_sets[:-1]

    @property
    def newest(self) -> PluginSet:
        return self._plugin_sets[-1]

    def at(self, trial: int) -> PluginSet:
        """Return the plugins of a trial.

        A trial before the oldest set that is left was done by plugins that are not needed now.
        """
        return next(
            (plugin_set for plugin_set in reversed(self._plugin_sets) if plugin_set.first_trial <= trial),
            self._plugin_sets[0],
        )

    def setup_env(self) -> None:
        """Let all plugins get ready.

        Raises:
            ServiceError: one cannot work here.
        """
        for plugin_set in self._plugin_sets:
            reports = plugin_set.hooks.setup_env(plugin_set.scope)
            for plugin, report in reports.items():
                require_ready(plugin, report)
            plugin_set.scope = plugin_set.scope.with_facts(environment=FrozenDict(reports))

    def set_problem(self, problem: Problem) -> None:
        for plugin_set in self._plugin_sets:
            plugin_set.scope = plugin_set.scope.with_facts(problem=problem)

    def evaluate(self, task: EvalTask) -> Evaluation:
        """Evaluate with the plugins of the task's trial."""
        return self._at_task(task).hooks.evaluate(task)

    def _at_task(self, task: EvalTask) -> PluginSet:
        return self.newest if task.ctx.purpose == "final" else self.at(task.ctx.trial)

    def commit(self, trial: Trial, *, next_trial: int, view: int) -> None:
        """Keep a commit for the next selection of each set of plugins.

        Args:
            trial: the one that was committed.
            next_trial: the one that opens next, for a selection that is made only to hand over what has gathered.
            view: how many commits it sees.
        """
        for plugin_set in self._plugin_sets:
            plugin_set.services.settle(trial.number)
            plugin_set.committed.append(trial)
            if len(plugin_set.committed) >= TOLD_AT_ONCE:
                # A long log need not wait in memory for the next selection; the answer of this one is not wanted.
                scope = plugin_set.scope.at(next_trial, view=view)
                plugin_set.select(scope, is_committed=lambda _: True)


def require_ready(plugin: str, report: EnvironmentReport) -> None:
    if report.status == "failed":
        reasons = "; ".join(report.errors) or "it gave no reason"
        raise ServiceError(f"plugin {plugin!r} cannot work here: {reasons}")
