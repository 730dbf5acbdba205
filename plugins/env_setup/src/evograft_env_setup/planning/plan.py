"""The plan of a set-up: an environment, its commands, and the commands that verify it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    ValidationError,
    model_serializer,
)

from evograft_env_setup.analysis.analysis import RepositoryAnalysis
from evograft_env_setup.analysis.defaults import build_default_commands
from evograft_env_setup.environments import DEFAULT, Environments, VerificationCommand
from evograft_env_setup.environments.environment import Command
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Name, Text, Value, freeze, thaw

MOST_COMMANDS = 100
SetupCommands = Annotated[tuple[Command, ...], Field(max_length=MOST_COMMANDS)]


PlannedCommands = Annotated[tuple[Command, ...], Field(min_length=1, max_length=MOST_COMMANDS)]
"""A plan without commands would set nothing up, and be verified by whatever is there."""


Verifications = Annotated[tuple[VerificationCommand, ...], Field(min_length=1, max_length=MOST_COMMANDS)]
"""At least one: an environment that nothing verifies would be ready whatever it is."""


Untouched = Annotated[Any, AfterValidator(freeze), PlainSerializer(thaw)]
"""JSON of any form."""


class SelectedEnvironment(Value):
    """An environment and what is done to get it."""

    name: Name
    reason: Text = ""
    image: Text = ""
    """Of the container; empty: the environment's usual one. It follows from the files, whoever plans."""
    detected_files: tuple[Text, ...] = ()
    setup_commands: SetupCommands
    verification: Verifications

    def work(self) -> dict[str, Any]:
        """Return what is to be done and verified: an environment that was made by other work is another one."""
        return self.model_dump(mode="json", include={"name", "setup_commands", "verification"})

    @model_serializer(mode="wrap")
    def _without_the_usual_image(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep the form that planning answers have, which name no image."""
        data: dict[str, Any] = serialize(self)
        return data if self.image else {key: value for key, value in data.items() if key != "image"}


class SetupPlan(Value):
    """The answer of the planning phase."""

    phase: Literal["planning"] = "planning"
    selected_environment: SelectedEnvironment
    goal_understanding: Untouched = FrozenDict()
    """The planner's own, as are the next two: passed on as they are."""
    task_decomposition: Untouched = FrozenDict()
    action_plan: Untouched = FrozenDict()


@dataclass(frozen=True)
class PlanExtraction:
    """A plan that can be carried out, and what was wrong with the one that was given."""

    plan: SetupPlan
    warnings: tuple[str, ...] = ()


def plan_by_rules(analysis: RepositoryAnalysis) -> SetupPlan:
    """Return the plan that follows from the repository's files alone."""
    return SetupPlan(
        selected_environment=SelectedEnvironment(
            name=analysis.environment_type,
            reason=analysis.reason,
            image=analysis.unusual_image,
            detected_files=tuple(analysis.detected_files),
            setup_commands=analysis.setup_commands[:MOST_COMMANDS],
            verification=analysis.verification[:MOST_COMMANDS],
        )
    )


def extract_environment_setup_info(
    given: Mapping[str, Any], analysis: RepositoryAnalysis, environments: Environments
) -> PlanExtraction:
    """Return the plan in the JSON of a planning answer.

    What it lacks or has wrong becomes the default, with a warning.

    Args:
        given: the JSON, of a model or another stranger.
        analysis: of the repository, from whose files defaults follow.
        environments: those that can be chosen.
    """
    chosen = given.get("selected_environment")
    others = {key: given[key] for key in ("goal_understanding", "task_decomposition", "action_plan") if key in given}
    if not isinstance(chosen, Mapping):
        plan = plan_by_rules(analysis).model_copy(update=others)
        return PlanExtraction(plan, ("the plan selects no environment; the rules do",))
    reading = _Reading(chosen, analysis, environments)
    return PlanExtraction(SetupPlan(selected_environment=reading.read_environment(), **others), tuple(reading.warnings))


class _Reading:
    """A reading of one `selected_environment`."""

    def __init__(self, chosen: Mapping[str, Any], analysis: RepositoryAnalysis, environments: Environments) -> None:
        self._chosen = chosen
        self._environments = environments
        self._analysis = analysis
        self.warnings: list[str] = []

    def read_environment(self) -> SelectedEnvironment:
        name = self._read_name()
        defaults = build_default_commands(self._environments[name], self._analysis.manifests)
        return SelectedEnvironment(
            name=name,
            reason=self._read_valid("reason", Text, ""),
            image=self._environments[name].unusual(defaults.image),
            detected_files=self._read_valid("detected_files", tuple[Text, ...], ()),
            setup_commands=self._read_valid("setup_commands", PlannedCommands, defaults.setup[:MOST_COMMANDS]),
            verification=self._read_valid("verification", Verifications, defaults.verification[:MOST_COMMANDS]),
        )

    def _read_name(self) -> str:
        name = self._chosen.get("name")
        if name is None:
            self.warnings.append(f"the plan names no environment; {DEFAULT} is taken")
        elif not isinstance(name, str) or name not in self._environments:
            known = ", ".join(self._environments)
            self.warnings.append(f"error: the plan's environment {name!r} is none of {known}; {DEFAULT} is taken")
        else:
            return name
        return DEFAULT

    def _read_valid(self, key: str, form: Any, default: Any) -> Any:
        if self._chosen.get(key) is None:
            return default
        try:
            return TypeAdapter(form).validate_python(self._chosen[key])
        except ValidationError as err:
            first = err.errors()[0]
            where = ".".join(str(part) for part in (key, *first["loc"]))
            self.warnings.append(f"the plan's {where}: {first['msg']}; the default is taken")
            return default
