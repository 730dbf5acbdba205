"""The plugins of a run in a worker process."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from evograft.config.loading import pipeline_from
from evograft.config.pipeline import DriverSection, Pipeline
from evograft.errors import ServiceError
from evograft.plugin.context import Scope, Services, WorkerServices
from evograft.plugin.hooks import Hooks, hooks_for
from evograft.plugin.loading import active_plugins
from evograft.session.lazy_sandbox import LazySandbox
from evograft_hookspecs import EvalTask, Evaluation, Evaluator


@dataclass(frozen=True)
class RemoteEvaluator:
    """A builder of the plugins of a worker process from the run's pipelines; picklable."""

    pipelines: tuple[tuple[int, str], ...]
    """Pairs (first trial, YAML), ascending: one for each set of plugins that has trials left."""
    scratch: str
    """The kernel's folder for temporary files; a worker on another machine makes one of its own."""
    sandbox: DriverSection
    run: str
    """Its id."""

    def __call__(self) -> Evaluator:
        own = None if Path(self.scratch).is_dir() else tempfile.TemporaryDirectory(prefix="evo-worker-")
        scratch = Path(own.name if own else self.scratch)
        # Its sessions end with the process, whose input to them ends.
        services = WorkerServices(LazySandbox(self.sandbox, run=self.run))
        plugin_sets = tuple((first, _worker_hooks(text, scratch, services)) for first, text in self.pipelines)

        def evaluate(task: EvalTask) -> Evaluation:
            ctx = task.ctx.model_copy(update={"role": "worker", "scratch": own.name if own else self.scratch})
            newest = task.ctx.purpose == "final"
            hooks = next(
                (hooks for first, hooks in reversed(plugin_sets) if newest or first <= task.ctx.trial),
                plugin_sets[0][1],
            )
            return hooks.evaluate(task.model_copy(update={"ctx": ctx}))

        return evaluate


def _worker_hooks(text: str, scratch: Path, services: Services) -> Hooks:
    pipeline = pipeline_from(yaml.safe_load(text), source="the run's lock file")
    hooks = hooks_for(pipeline, active_plugins(pipeline))
    scope = replace(scope_of(pipeline, scratch, services), role="worker")
    for plugin, report in hooks.setup_env(scope).items():
        if report.status == "failed":
            raise ServiceError(f"plugin {plugin!r} cannot work in a worker process: {'; '.join(report.errors)}")
    return hooks


def scope_of(pipeline: Pipeline, scratch: Path, services: Services) -> Scope:
    return Scope(run_seed=pipeline.seed, generation_size=pipeline.generation_size, scratch=scratch, services=services)
