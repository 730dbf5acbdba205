"""A resolved run: a pipeline with everything that it names, built once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from evograft.config.pipeline import DriverSection, LlmSection, ModelSection, Novelty, Pipeline
from evograft.errors import ServiceError, UserError
from evograft.llm.model_tiers import assign_tiers
from evograft.plugin.hooks import Hooks, hooks_for
from evograft.plugin.loading import ActivePlugin, active_plugins, is_missing, load_driver
from evograft.text.masking import Keys
from evograft_hookspecs import LlmUnavailable
from evograft_hookspecs.drivers.embedding import EmbeddingDriver
from evograft_hookspecs.drivers.executor import Executor
from evograft_hookspecs.drivers.llm import LlmDriver, ModelChecker
from evograft_hookspecs.drivers.novelty import ProgramComparer
from evograft_hookspecs.drivers.sandbox import SandboxDriver
from evograft_hookspecs.drivers.store import Store


@dataclass(frozen=True)
class ResolvedRun:
    """The settings of a run with its drivers and its plugins, which are made once for a start and handed on."""

    pipeline: Pipeline
    executor: Executor
    store: Store
    comparer: ProgramComparer | None
    embedding: EmbeddingDriver | None
    llm: LlmDriver
    plugins: tuple[ActivePlugin, ...]
    sandbox: SandboxDriver | None = None
    """`None`: it is built when the first hook asks for it."""
    llm_folder: Path | None = None
    """The folder of the run that the llm driver is open for; `None`: it is not open."""

    @classmethod
    def build(cls, pipeline: Pipeline) -> Self:
        """Build what a pipeline names.

        Raises:
            UserError: the configuration is at fault.
            PluginError: a plugin or a driver is.
        """
        novelty = pipeline.novelty
        return cls(
            pipeline,
            executor=load_driver("executor", pipeline.executor),
            store=load_driver("store", pipeline.store),
            comparer=_load_optional_driver("novelty", novelty.comparer),
            embedding=_load_optional_driver("embedding", novelty.embedding),
            llm=load_driver("llm", pipeline.llm),
            plugins=active_plugins(pipeline),
        )

    @classmethod
    def build_checked(cls, pipeline: Pipeline) -> Self:
        """Build what a pipeline names, its sandbox too, and check everything that can be checked before a call.

        Raises:
            UserError: the configuration is at fault.
            PluginError: a plugin is.
        """
        sandbox = None if _is_left_out(pipeline.sandbox) else load_driver("sandbox", pipeline.sandbox)
        resolved = replace(cls.build(pipeline), sandbox=sandbox)
        resolved.price_models()
        resolved.fit_plugins()
        return resolved

    @property
    def keys(self) -> Keys:
        """The secrets that the settings refer to."""
        return Keys.of(self.pipeline.to_data())

    def fit_plugins(self) -> Hooks:
        """Return the hooks of the plugins, which fit one another."""
        return hooks_for(self.pipeline, self.plugins)

    def require_model(self) -> None:
        """Refuse settings without a model with a UserError that says what to set."""
        _require_model(self.llm)

    def price_models(self) -> LlmSection:
        """Return the models with their prices, and the tiers that follow from them; both are fixed from here on.

        Raises:
            UserError: no model is named, or prices are unknown that a limit in dollars or tiers follow from.
        """
        llm, driver = self.pipeline.llm, self.llm
        if driver.available and not llm.models and not driver.default_model:
            raise UserError(f"llm.models: driver {llm.driver!r} needs a model's name: --set llm.model=NAME")
        models = llm.models or ((ModelSection(name=driver.default_model),) if driver.available else ())
        models = tuple(m if m.price else m.model_copy(update={"price": driver.price(m.name)}) for m in models)
        unknown = [model.name for model in models if model.price is None]
        if unknown and self.pipeline.budget.dollars is not None:
            raise UserError(
                f"budget.dollars cannot be kept, since nobody knows the price of {unknown[0]!r}: add it to llm.models "
                f"as {{name: {unknown[0]}, price: {{prompt: 0.5, completion: 1.5}}}} (dollars per million tokens)"
            )
        return llm.model_copy(update={"models": assign_tiers(models) if llm.is_tiered_by_price else models})

    def with_prices(self) -> Self:
        """Return the run with the prices of its models written down."""
        return self._with_settings(llm=self.price_models())

    def settle(self) -> Self:
        """Return the run with the settings written down that follow from its llm driver.

        Another driver on resume must not change them.
        """
        pipeline = self.pipeline
        return self._with_settings(order=pipeline.commit_order, window=pipeline.in_flight, llm=self.price_models())

    def _with_settings(self, **settings: Any) -> Self:
        return replace(self, pipeline=self.pipeline.model_copy(update=settings))

    def open_llm(self, folder: Path) -> Self:
        """Return the run with its llm driver open for its folder.

        Raises:
            ServiceError: it cannot work here, or cannot ask one of the models.
        """
        if self.llm_folder == folder:
            return self
        section = self.pipeline.llm
        try:
            self.llm.open(folder)
            if isinstance(self.llm, ModelChecker):
                for model in section.models:
                    self.llm.require_model(model.name)
        except LlmUnavailable as err:
            self.llm.close()
            raise ServiceError(f"llm driver {section.driver!r} cannot work here: {err}") from err
        return replace(self, llm_folder=folder)


def require_model(pipeline: Pipeline) -> None:
    """Refuse a pipeline without a model as `ResolvedRun.require_model` does."""
    _require_model(load_driver("llm", pipeline.llm))


def _require_model(driver: LlmDriver) -> None:
    if not driver.available:
        raise UserError(
            "llm.driver: an agent needs a model, and none is set: --llm openai:MODEL, ollama:MODEL or litellm:MODEL, "
            "or --llm manual to answer its prompts yourself"
        )


def _load_optional_driver(kind: str, section: DriverSection | None) -> Any:
    return None if section is None else load_driver(kind, section)


def _is_left_out(sandbox: DriverSection) -> bool:
    """Return whether there is no sandbox, nor a wish for one: plugins that run no programs need none."""
    return sandbox == Pipeline.model_fields["sandbox"].default and is_missing("sandbox", sandbox)


def without_missing_comparer(pipeline: Pipeline) -> Pipeline:
    """Return a pipeline whose programs can be compared here.

    Without a reader of programs, unless one is asked for, only equal files are duplicates.
    """
    novelty = pipeline.novelty
    is_asked_for = novelty != Novelty()
    if is_asked_for or novelty.comparer is None or not is_missing("novelty", novelty.comparer):
        return pipeline
    return pipeline.model_copy(update={"novelty": Novelty(duplicates="exact")})
