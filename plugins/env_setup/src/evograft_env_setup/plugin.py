"""The plugin: environments for repositories."""

from __future__ import annotations

from contextlib import ExitStack
from typing import ClassVar

from evograft_env_setup.options import EnvSetupOptions
from evograft_hookspecs import (
    CONTRACT,
    Advice,
    Context,
    EnvironmentReport,
    Event,
    Manifest,
    RunEnded,
    Selection,
    hookimpl,
)
from evograft_hookspecs.values import thaw


class EnvSetupPlugin:
    """The plugin, which says what a repository needs before anything runs in it."""

    manifest: ClassVar = Manifest(
        name="env_setup",
        description="Environment setup: finds out what a repository needs, builds it, verifies it, and repairs it.",
        contract=CONTRACT,
        thread_safe=True,
    )
    Options: ClassVar = EnvSetupOptions

    def __init__(self, options: EnvSetupOptions) -> None:
        self.options = options
        self._uses = ExitStack()
        """Keeps what was set up from being removed while candidates are evaluated in it."""

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport | None:
        """Set the repository up; the plan is among the `facts`.

        The run's model, if there is one, plans and corrects.
        """
        if ctx.role == "worker":
            return None
        from evograft.api import ServiceError, UserError
        from evograft_env_setup.setup.preparation import prepare_and_report

        try:
            return prepare_and_report(self.options, ctx.llm, self._uses)
        except (UserError, ServiceError) as err:
            return EnvironmentReport(status="failed", errors=(str(err),))

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunEnded):
            self._uses.close()

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Advice, ...] | None:  # noqa: ARG002 - any
        """Tell whoever writes a candidate in which environment it works, and what could not be set up there."""
        facts = ctx.environment[self.manifest.name].facts
        if "hand_over" not in facts:
            return None
        from evograft_env_setup.planning.hand_over import HandOver
        from evograft_env_setup.planning.prompts import execution_prompt

        hand_over = HandOver.model_validate(thaw(facts["hand_over"]))
        return (Advice(id="env_setup.execution", text=execution_prompt(hand_over)),)
