"""Calls of one plugin's hook: the type of each answer is checked, and each failure is blamed on plugin and hook."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from traceback import walk_tb
from typing import Any, TypeVar

import pluggy
from pydantic import ValidationError

from evograft.concurrency.shared_lock import SharedLock
from evograft.config.explain import explain_validation
from evograft.errors import EvograftError, HookAborted, PluginError, ServiceError, UserError, did_you_mean
from evograft.plugin.context import sure_to_end
from evograft.plugin.loading import ActivePlugin
from evograft_hookspecs import (
    CandidateRejected,
    Context,
    EvalContext,
    LlmRefused,
    ProblemAnalyzed,
    SandboxUnavailable,
    StartRefused,
    ToolResult,
    Value,
    hooks,
)

V = TypeVar("V", bound=Value)

VERBS = ("setup_env", "analyze", "select", "propose", "mutate", "evaluate", "tool_call", "observe")


class HookCalls:
    """Calls hooks of the plugins of one run, through a plugin manager of its own.

    Args:
        plugins: in the order of the pipeline.
        lock: shared by the plugins that are not thread-safe.

    Raises:
        PluginError: a plugin does not fit the specifications.
    """

    def __init__(self, plugins: Sequence[ActivePlugin], lock: SharedLock) -> None:
        self._plugins = tuple(plugins)
        self._lock = lock
        self._callers = _hook_callers(self._plugins)

    def implementers(self, hook: str) -> Iterator[ActivePlugin]:
        """Return the plugins that implement a hook, in the order of the pipeline."""
        return (plugin for plugin in self._plugins if plugin.name in self._callers[hook])

    def call(self, plugin: ActivePlugin, hook: str, ctx: Context | EvalContext, **arguments: Any) -> Any:
        """Call a hook that is inside no other one: what ends it is raised. The arguments are those of `ask`."""
        try:
            return self.ask(plugin, hook, ctx, **arguments)
        except HookAborted as end:
            raise end.error from end

    def ask(
        self,
        plugin: ActivePlugin,
        hook: str,
        ctx: Context | EvalContext,
        *,
        on_turn: Callable[[], object] = lambda: None,
        **arguments: Any,
    ) -> Any:
        """Call a hook that may be inside another one: what ends both passes through.

        `on_turn` is called when the plugin's turn has come, just before the hook.

        Raises:
            HookAborted: the run ends.
            CandidateRejected: the hook is `mutate` or `evaluate`, and the candidate is rejected.
            EvograftError: the plugin failed, which is blamed on it, or a service that it needs did.
            UserError: the plugin refuses the start of the run.
        """
        caller = self._callers[hook].get(plugin.name)
        if caller is None:
            raise blame(plugin, hook, "is not implemented", ctx.trial)
        try:
            with sure_to_end(ctx), nullcontext() if plugin.manifest.thread_safe else self._lock:
                on_turn()
                return caller(ctx=ctx, **arguments)
        except EvograftError:
            raise  # of another plugin, or a service, that this one called
        except LlmRefused as err:
            return _unanswered(plugin, hook, err, trial=ctx.trial)
        except SandboxUnavailable as err:
            if hook == "observe":
                raise blame(plugin, hook, f"got no sandbox: {err}", ctx.trial) from err
            raise ServiceError(f"no sandbox for commands: {err}") from err
        except StartRefused as err:
            if not _may_refuse(hook, arguments):
                raise blame(plugin, hook, f"raised StartRefused too late: {err}", ctx.trial) from err
            raise UserError(" ".join(str(err).split())) from err
        except (Exception, SystemExit) as err:  # the one place where plugins run: whatever they raise is blamed on them
            if isinstance(err, CandidateRejected) and hook in ("mutate", "evaluate"):
                raise
            what = f"raised {type(err).__name__}: {err}{_place_of(err, plugin)}"
            raise blame(plugin, hook, what, ctx.trial) from err


def expect(plugin: ActivePlugin, hook: str, answer: Any, wanted: type[V], trial: int | None = None) -> V:
    """Return the answer, validated anew: `model_copy` and `model_construct` let anything through.

    What it has cached of itself, such as the id of a candidate, is dropped: a copy may have other files.
    """
    if not isinstance(answer, wanted):
        raise blame(plugin, hook, f"returned {type(answer).__name__}, expected {wanted.__name__}", trial)
    given = {name: value for name, value in answer if not isinstance(vars(wanted).get(name), cached_property)}
    try:
        return wanted.model_validate(given)
    except ValidationError as err:
        what = f"returned an invalid {wanted.__name__}: {explain_validation(err, wanted)}"
        raise blame(plugin, hook, what, trial) from err


def blame(plugin: ActivePlugin, hook: str, what: str, trial: int | None = None) -> PluginError:
    """Return the error that names a plugin, its hook and the trial, and says what is wrong."""
    where = "" if trial is None else f" in trial {trial}"
    return PluginError(f"{plugin}: hook {hook}{where} {' '.join(what.split())}")


def _unanswered(plugin: ActivePlugin, hook: str, err: LlmRefused, *, trial: int | None) -> ToolResult:
    """Return what it means for a hook that a model gave it no answer."""
    if hook == "mutate":
        raise CandidateRejected(f"no answer from a model: {err}") from err
    if hook == "tool_call":
        return ToolResult(ok=False, content=f"no answer from a model: {err}")
    if hook == "observe":
        raise blame(plugin, hook, f"got no answer from a model: {err}", trial) from err
    raise ServiceError(f"{plugin}: hook {hook} got no answer from a model: {err}") from err


def _place_of(err: BaseException, plugin: ActivePlugin) -> str:
    """Return where in the plugin's own code it was raised, or passed through last."""
    package = type(plugin.instance).__module__.partition(".")[0]
    frames = [(frame.f_globals.get("__name__", ""), frame, line) for frame, line in walk_tb(err.__traceback__)]
    own = [(frame, line) for module, frame, line in frames if module.partition(".")[0] == package]
    return f" ({Path(own[-1][0].f_code.co_filename).name}:{own[-1][1]})" if own else ""


def _may_refuse(hook: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a call of a hook may still refuse the start of the run."""
    event = arguments.get("event")
    return hook in ("setup_env", "analyze") or (isinstance(event, ProblemAnalyzed) and not event.replayed)


def _hook_callers(plugins: Sequence[ActivePlugin]) -> dict[str, dict[str, Callable[..., Any]]]:
    """Return for each verb a caller per implementing plugin: order and blame are ours, wrappers are pluggy's."""
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    for plugin in plugins:
        _register(manager, plugin)
    callers: dict[str, dict[str, Callable[..., Any]]] = {}
    for verb in VERBS:
        hook = getattr(manager.hook, verb)
        implementers = {implementation.plugin_name for implementation in hook.get_hookimpls()}
        callers[verb] = {
            plugin.name: _only(manager, verb, plugin, plugins) for plugin in plugins if plugin.name in implementers
        }
    return callers


def _only(
    manager: pluggy.PluginManager, verb: str, plugin: ActivePlugin, plugins: Sequence[ActivePlugin]
) -> Callable[..., Any]:
    others = [other.instance for other in plugins if other is not plugin]
    caller = manager.subset_hook_caller(verb, others)

    def call(**arguments: Any) -> Any:
        answers = caller(**arguments)
        return answers[0] if answers else None

    return call


def _register(manager: pluggy.PluginManager, plugin: ActivePlugin) -> None:
    for name in dir(type(plugin.instance)):
        method = getattr(type(plugin.instance), name, None)
        if getattr(method, f"{hooks.PROJECT}_impl", None) is None:
            continue
        if name not in VERBS:
            raise PluginError(f"{plugin}: {name!r} is no hook; {did_you_mean(name, VERBS)}")
        if inspect.iscoroutinefunction(method):
            raise PluginError(
                f"{plugin}: hook {name} is `async def`; hooks are plain functions, the kernel runs them at once"
            )
    try:
        manager.register(plugin.instance, name=plugin.name)
    except (pluggy.PluginValidationError, ValueError) as err:
        raise PluginError(f"{plugin}: {' '.join(str(err).split())}") from err
