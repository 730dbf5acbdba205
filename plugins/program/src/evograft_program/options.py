"""The plugin's `with:` section, which `evo evolve` writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from evograft_hookspecs import NoOptions

GOVERNED = frozenset({"HOME", "TMPDIR"})
"""Environment variables that the sandbox sets."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
PositiveInt = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


Objective = Annotated[str, Field(pattern=r"^-?[^-\s].*$")]
"""The name of a metric, with a minus in front if less is better."""


def find_directions(objectives: Sequence[str]) -> dict[str, bool]:
    """Return by the name of each metric whether less of it is better."""
    return {each.removeprefix("-"): each.startswith("-") for each in objectives}


class EvaluatorStyle(StrEnum):
    """What an evaluator takes and returns."""

    OPENEVOLVE = "openevolve"
    """A module with `evaluate(program_path)`, and maybe `evaluate_stage1` to `3`."""
    SHINKA = "shinka"
    """A script with `--program_path` and `--results_dir` that writes `metrics.json` and `correct.json`."""
    GEPA = "gepa"
    """A module with a function of the candidate's text, and of an example if there are examples."""
    CONTAINER = "container"
    """A folder with `Dockerfile` and `evaluate.sh`."""
    FUNCTION = "function"
    """A module with `evaluate(function)`, which is given a function of the candidate's."""
    COMMAND = "command"
    """A program or a shell line that prints a number or a JSON object."""
    STUDY = "study"
    """None: whoever asks for candidates says their scores."""


IN_PYTHON = frozenset({EvaluatorStyle.OPENEVOLVE, EvaluatorStyle.GEPA, EvaluatorStyle.FUNCTION, EvaluatorStyle.SHINKA})
"""Styles whose evaluators are Python and called by the worker; the others are programs of their own."""


class ScoreRules(NoOptions):
    """How the answer of an evaluator becomes a score."""

    metric: str = ""
    """The metric that is the score; empty: by the rule of the evaluator's style."""
    minimise: bool = False
    """Whether less is better: scores are then negated, metrics are not. A score that is an objective has the direction
    that its objective says."""
    bounds: tuple[Finite, Finite] | None = None
    """The least and the greatest value that is possible; a candidate outside is rejected."""
    objectives: tuple[Objective, ...] = ()
    """Metrics that are objectives of the search; a minus in front says that less is better. An answer that lacks one
    is rejected. Empty: what the evaluator itself calls so."""
    pattern: str = ""
    """A regular expression for what a command prints, whose first group is the score."""
    feature_dimensions: tuple[str, ...] = ()
    """Metrics that say where a candidate lies, and nothing about how good it is; empty: for the style `openevolve`
    `complexity` and `diversity`, as there."""

    @property
    def directions(self) -> dict[str, bool]:
        """By objective, without its minus, whether less is better."""
        return find_directions(self.objectives)

    @field_validator("pattern")
    @classmethod
    def _pattern_has_a_group(cls, value: str) -> str:
        try:
            groups = re.compile(value).groups
        except re.error as err:
            raise ValueError(f"{value!r} is not a regular expression: {err}") from err
        if value and not groups:
            raise ValueError(f"{value!r} has no group: put parentheses around the number, as in 'time: ([0-9.]+)'")
        return value

    @model_validator(mode="after")
    def _objectives_differ(self) -> Self:
        if len(self.directions) < len(self.objectives):
            raise ValueError(f"objectives {', '.join(self.objectives)}: each metric once")
        return self

    @model_validator(mode="after")
    def _score_has_one_direction(self) -> Self:
        if self.directions.get(self.metric, self.minimise) == self.minimise:
            return self
        turned = {name: less != (name == self.metric) for name, less in self.directions.items()}
        wanted = ",".join(f"-{name}" if less else name for name, less in turned.items())
        raise ValueError(
            f"{self.metric!r} is the score, and as an objective {'more' if self.minimise else 'less'} of it is better: "
            f"{'leave out' if self.minimise else 'add'} --minimise, or write --objective {wanted}"
        )

    @model_validator(mode="after")
    def _bounds_are_in_order(self) -> Self:
        if self.bounds is not None and self.bounds[0] > self.bounds[1]:
            raise ValueError(f"bounds {self.bounds[0]:g},{self.bounds[1]:g}: the lower one comes first")
        return self


class CascadeOptions(NoOptions):
    """Stages of an evaluator, cheap ones first."""

    enabled: bool = True
    thresholds: tuple[Finite, ...] = (0.5, 0.75)
    """What a stage has to reach for the next one to be run."""


class EvaluationLimits(NoOptions):
    """What one evaluation may use."""

    seconds: Seconds = 300.0
    """Wall seconds, of each stage where there are stages."""
    cpu_seconds: Seconds | None = None
    """CPU seconds of all its processes; `None`: as `seconds`, times the cores of the machine."""
    memory_mb: PositiveInt = 4096
    processes: PositiveInt = 64


class TrustOptions(NoOptions):
    """How often a candidate is evaluated before its score counts."""

    repeat: PositiveInt = 1
    """Evaluations of each candidate, with different seeds; the score is their mean."""
    confirm: Annotated[int, Field(ge=0)] = 0
    """Further evaluations, in clean processes, before a candidate that is better than the incumbent counts."""
    final: str = ""
    """Another evaluator, a file of the task, for data that no choice depends on; it is used once, at the end."""


class LiteralTuningOptions(NoOptions):
    """Numbers that are varied without a model, by `program.tune`."""

    enabled: bool = True
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    """Relative to the operators of models."""
    most_literals: PositiveInt = 20
    """The most numbers that are varied at once."""


class TaskOptions(NoOptions):
    """What is to be done, and where its files are."""

    folder: str
    """A copy of the evaluator and of what lies beside it. Other paths of the task are relative to it."""
    origins: dict[str, str] = Field(default_factory=dict)
    """By place in `folder`, the user's files and folders it was copied from, absolute: changes there are noticed."""
    digest: str = ""
    """The hash of all files of `folder`."""
    commit: str = ""
    """The commit that was checked out where the start program is; empty: it is in no git repository."""
    name: str = ""
    """Empty: the name of the evaluator's folder."""
    statement: str = ""
    """The task in words, for models."""


class CandidateOptions(NoOptions):
    """What is evolved."""

    program: str = ""
    """The start program: a file, or the folder of which `change` says what may change; empty: none."""
    change: tuple[str, ...] = ()
    """Patterns of the files of a folder that candidates may change; empty: the program is one file."""
    suffix: str = ".py"
    """What the name of a candidate's file ends with."""
    language: str = ""
    """The programming language; empty: by `suffix`."""


def _require_ungoverned(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name in GOVERNED:
            raise ValueError(f"{name} is set for each evaluation, to a folder of its own: it cannot be granted")
    return names


class EvaluatorOptions(NoOptions):
    """What gives candidates their scores, and what it may reach."""

    path: str
    """The evaluator's file or folder; a shell line for the style `command`."""
    style: EvaluatorStyle
    function: str = ""
    """The function that is called: the evaluator's, or the candidate's for the style `function`; empty: the usual."""
    arguments: tuple[str, ...] = ()
    """More arguments for an evaluator that is a script or a command."""
    examples: str = ""
    """A JSON or JSON Lines file of examples, for evaluators that take one."""
    python: str = ""
    """The Python that evaluates; empty: the one that runs this."""
    read: tuple[str, ...] = ()
    """Further files and folders that evaluations may read, absolute."""
    env: Annotated[tuple[str, ...], AfterValidator(_require_ungoverned)] = ()
    """Names of environment variables that evaluations get from this process."""
    network: bool = False
    """Whether evaluations may use the network."""
    image: str = ""
    """For the style `container`: the Docker image that is built from its folder, or is there; empty: without one,
    `evaluate.sh` runs with this machine's programs."""


class ProgramOptions(NoOptions):
    """A task: what is evolved, by what it is evaluated, and with what limits."""

    task: TaskOptions
    candidate: CandidateOptions = CandidateOptions()
    evaluator: EvaluatorOptions
    rules: ScoreRules = ScoreRules()
    cascade: CascadeOptions = CascadeOptions()
    limits: EvaluationLimits = EvaluationLimits()
    trust: TrustOptions = TrustOptions()
    tuning: LiteralTuningOptions = LiteralTuningOptions()

    def without_objectives(self) -> Self:
        """Return them for an evaluator whose answers need the score only."""
        return self.model_copy(update={"rules": self.rules.model_copy(update={"objectives": ()})})
