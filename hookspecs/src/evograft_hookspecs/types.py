"""The data of a run: what hooks are given and what they answer. All are frozen values that survive JSON."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from functools import cached_property
from numbers import Real
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from evograft_hookspecs.values import Count, FrozenDict, Json, Name, Number, Text, Value

SINGLE_FILE = "main"
"""The path of the only file of a candidate that was given as bare source."""

OperatorId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$")]
"""An operator's full name, `plugin.operator`."""

# -- what a plugin offers ---------------------------------------------------------------------------------------------


class Operator(Value):
    """A way of making a candidate, listed in the manifest of the plugin whose `mutate` carries it out."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    """The short name; its id in configurations and records is `plugin.name`."""
    description: Text = ""
    repairs: bool = False
    """Whether the plugin's rejected candidates go to this operator, in the same trial, before the trial counts as
    rejected (`repairs` in the pipeline says how often). `proposal.failed` tells it what was wrong. One a plugin."""
    reevaluates: bool = False
    """Whether its candidates are evaluated even where an earlier trial had the same one: it measures again on
    purpose."""
    needs: tuple[Literal["model", "grammar"], ...] = ()
    """What it needs to work: `model`: a model's answer; `grammar`: a problem whose candidates are formulas. A run in
    which no operator can work is refused at its start."""


class Tool(Value):
    """A tool that agents may call, listed in the manifest of the plugin whose `tool_call` carries it out."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    description: Text
    """What it does and when to use it, written for the model that chooses among tools."""
    parameters: Json = FrozenDict()
    """A JSON Schema of the arguments."""
    effects: bool = False
    """Whether it changes something outside the run: such a tool is run again on resume, though the agent
    is shown the logged answer."""
    for_candidates: bool = False
    """Whether it works on the candidate that an agent is about to change, whose files are in `ToolCall.files`. Only
    agents that have one are offered it."""


class Manifest(Value):
    """What a plugin offers, as static data: it can be listed and checked without running the plugin."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    """The plugin's name in pipelines; equals the name of its entry point."""
    description: Text = ""
    contract: Count
    """The version of this contract it was written for: `evograft_hookspecs.CONTRACT` at that time."""
    kinds: tuple[Name, ...] = ()
    """Candidate kinds it makes or evaluates, such as `python-expression` or `cpp`."""
    operators: tuple[Operator, ...] = ()
    tools: tuple[Tool, ...] = ()
    preset: Text = ""
    """A pipeline file inside the plugin's package, used by `evo run --plugin NAME`; empty: there is none."""
    thread_safe: bool = False
    """Whether its hooks may run at the same time. All plugins that say no share one lock."""
    resources: FrozenDict[Name, Number] = FrozenDict()
    """What an evaluation with it needs on a worker of a cluster: `docker` (an engine), `gpu`, `cores`, `memory_mb`, or
    anything that workers are started with by its name. On the machine of the run it is not looked at."""


# -- the problem ------------------------------------------------------------------------------------------------------


class ExpressionGrammar(Value):
    """The formulas a problem allows, for operators that build Python expressions without a model.

    A candidate of such a problem is a function of one line: `def {function}({argument}): return EXPRESSION`.
    """

    function: Name
    argument: Name
    terminals: tuple[Name, ...]
    """Expressions that stand for one value each, such as `density(G)`."""
    functions: tuple[Name, ...] = ()
    """Callables of one number, such as `math.sqrt`."""
    operators: tuple[Literal["+", "-", "*", "/", "**"], ...] = ("+", "-", "*", "/")
    constants: tuple[Number, Number] = (-10.0, 10.0)
    """The range that new constants are drawn from."""
    max_nodes: Count = 60
    """The largest number of AST nodes an operator may build."""


class Strategy(Value):
    """A way to work on a problem, which a person may choose, reword or leave out."""

    title: Name
    description: Text = ""
    sources: tuple[Text, ...] = ()
    """What was consulted for it."""

    def __str__(self) -> str:
        return f"{self.title}: {self.description}" if self.description else self.title


class Problem(Value):
    """The answer of `analyze`: what is being solved, the same for the whole run."""

    name: Name
    statement: Text
    """The task in words, as a model would be given it."""
    kind: Name
    """The kind of every candidate."""
    language: Text = ""
    """The programming language of candidates, in lower case (`python`, `cpp`), for prompts and for recognising near
    duplicates; empty: they are not programs, or not all in one language."""
    objective: Name
    """What `Evaluation.score` measures, for people: the name of the quantity, with its unit if it has one."""
    analysis: Json = FrozenDict()
    """Structured findings about the problem, for operators and evaluators that know it."""
    outline: tuple[Text, ...] = ()
    """The analysis in lines for the person of an interactive run, the first of them its title; empty: `analysis` is
    shown as it is."""
    spoken_language: Literal["en", "ja"] | None = None
    """In which to talk to that person about it; `None`: that of the locale."""
    strategies: tuple[Strategy, ...] = ()
    """Ways to work on it, offered to the person of an interactive run, whose choice becomes an `Advice`."""
    glossary: FrozenDict[Text, Text] = FrozenDict()
    """Term to one line about it: what a person's question about the problem may be answered from."""
    seeds: tuple[FrozenDict[Text, Text], ...] = ()
    """Seed programs (path to text each): trials 0 to len(seeds) - 1 evaluate them."""
    grammar: ExpressionGrammar | None = None
    """For problems whose candidates are formulas; `None`: they are not."""


class EnvironmentReport(Value):
    """The answer of `setup_env`: whether this plugin can work here."""

    status: Literal["ready", "degraded", "failed"] = "ready"
    """`degraded`: it works with less (say what in `errors`). `failed`: the run does not start."""
    done: tuple[Text, ...] = ()
    """What was found, built or started, one line each, printed at start."""
    errors: tuple[Text, ...] = ()
    facts: Json = FrozenDict()
    """What the plugin's later hooks need to know, also in other processes."""


# -- candidates and what they are worth -------------------------------------------------------------------------------


class Candidate(Value):
    """A program under evolution. Equal files of equal kind are the same candidate, whoever made them."""

    kind: Name
    files: FrozenDict[Text, Text]
    """Path to text. A candidate of one file may be given as `source` instead."""
    operator: OperatorId
    """Who made it; `kernel.seed` for seed programs."""
    trial: Count
    parents: tuple[Count, ...] = ()
    """The trials it was made from; empty: from scratch."""
    used_advice: tuple[Name, ...] = ()
    """Ids of the advice that entered the prompt."""
    idea: Text = ""
    """What its author said of it in a sentence or two, where the operator keeps that; no part of what it is."""

    @model_validator(mode="before")
    @classmethod
    def _source_is_one_file(cls, data: object) -> object:
        if isinstance(data, Mapping) and "source" in data:
            rest = {key: value for key, value in data.items() if key != "source"}
            return {**rest, "files": {SINGLE_FILE: data["source"]}}
        return data

    @classmethod
    def of(cls, source: str, *, kind: str, operator: str, trial: int, parents: tuple[int, ...] = ()) -> Self:
        """Make a candidate of one file."""
        files = FrozenDict({SINGLE_FILE: source})
        return cls(kind=kind, files=files, operator=operator, trial=trial, parents=parents)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with changed fields, which has an id of its own."""
        copy = super().model_copy(update=update, deep=deep)
        copy.__dict__.pop("id", None)
        return copy

    @property
    def source(self) -> str:
        """The text of the only file.

        Raises:
            ValueError: when there are several files; use `files` then.
        """
        if len(self.files) != 1:
            raise ValueError(f"candidate of trial {self.trial} has {len(self.files)} files, not one")
        return next(iter(self.files.values()))

    @cached_property
    def id(self) -> str:
        """32 hexadecimal digits: the hash of kind and files."""
        digest = hashlib.sha256(self.kind.encode())
        for path in sorted(self.files):
            for part in (path, self.files[path]):
                encoded = part.encode()
                digest.update(b"%d:" % len(encoded) + encoded)
        return digest.hexdigest()[:32]


class Evaluation(Value):
    """What a candidate is worth. Every number is finite, and higher is always better where things are compared."""

    status: Literal["ok", "rejected", "pruned", "failed"]
    """`ok`; `rejected`: the candidate is invalid or ran out of time; `pruned`: stopped because it cannot beat the
    incumbent, the score is an estimate; `failed`: the infrastructure broke, nothing is known about the candidate."""
    score: Number | None = None
    """Required when `ok`; must be absent when `rejected` or `failed`."""
    reason: Text = ""
    """Why it is not `ok`, one line that the next prompt shows."""
    cases: FrozenDict[Text, Number] = FrozenDict()
    """Values per case (test input, graph, seed), for racing evaluators to compare pair by pair with an incumbent."""
    metrics: FrozenDict[Text, Number] = FrozenDict()
    """Anything else that was measured, name to value: in prompts, exports and reports, and of no influence on which
    trials become parents. A bool counts as 1.0 or 0.0; a text is moved to `feedback`, as a line `name: text`."""
    objectives: FrozenDict[Text, Number] = FrozenDict()
    """Values of several objectives, higher is better in each. Status and report show the front, and searches by several
    objectives choose parents by them; the best of a run is the one with the highest `score`."""
    stage: Text = ""
    """How far a cascade went, in the evaluator's own words."""
    feedback: Text = ""
    """What the next prompt, or the person at the end, should read about this candidate."""
    details: Json = FrozenDict()
    """Facts for programs that read the record, such as what became of each case, in the evaluator's own layout. They
    enter no prompt, and no selection depends on them."""
    kept: bytes = Field(default=b"", repr=False)
    """What evaluations of its children may start from, such as the best construction so far. The log keeps it as an
    artifact; an evaluation that comes back from the log has `kept_digest` only."""
    kept_digest: Text = ""
    """The content hash of what was `kept`; set by the kernel."""
    descriptors: FrozenDict[Text, Number] = FrozenDict()
    """Where it lies in a MAP-Elites archive, name to value."""
    seconds: Number = 0.0
    """CPU seconds spent, as far as known. Not part of what is compared and shared."""
    cost: Number = 0.0
    """US dollars spent, as far as known. Not part of what is compared and shared."""
    durations: FrozenDict[Text, Number] = FrozenDict()
    """Wall seconds by part of the work, such as `compiling`, as far as they were measured. Not part of what is
    compared and shared; the log keeps them."""

    @model_validator(mode="before")
    @classmethod
    def _metrics_are_numbers(cls, data: object) -> object:
        if not isinstance(data, Mapping) or not isinstance(metrics := data.get("metrics"), Mapping):
            return data
        if all(type(value) is float for value in metrics.values()):
            return data
        texts = [f"{name}: {value}" for name, value in metrics.items() if isinstance(value, str)]
        numbers = {name: _as_number(name, value) for name, value in metrics.items() if not isinstance(value, str)}
        feedback = data.get("feedback") or ""
        said = "\n".join((*([feedback] if feedback else ()), *texts)) if isinstance(feedback, str) else feedback
        return {**data, "metrics": numbers, "feedback": said}

    @model_validator(mode="after")
    def _score_fits_status(self) -> Self:
        if self.status == "ok" and self.score is None:
            raise ValueError("an evaluation that is ok has a score")
        if self.status in ("rejected", "failed") and self.score is not None:
            raise ValueError(f"an evaluation that is {self.status} has no score")
        if self.status != "ok" and not self.reason:
            raise ValueError(f"an evaluation that is {self.status} says why in `reason`")
        return self

    @classmethod
    def rejected(cls, reason: str, *, feedback: str = "") -> Self:
        return cls(status="rejected", reason=reason, feedback=feedback)

    def without_spending(self) -> Self:
        """Return the part that is compared and shared: what was spent differs from machine to machine."""
        if not (self.seconds or self.cost or self.durations):
            return self
        return self.model_copy(update={"seconds": 0.0, "cost": 0.0, "durations": FrozenDict()})


def dominates(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Return whether one is at least as good as the other in every objective, and better in one.

    An objective that is missing is worse than any value.
    """
    names = one.keys() | other.keys()
    return one != other and all(one.get(name, -math.inf) >= other.get(name, -math.inf) for name in names)


def _as_number(name: object, value: object) -> object:
    """Return a metric as it is validated further; a bool is the number that it stands for."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, Real):  # a bool is one too, and so are the numbers of numpy
        return float(value)
    kind = type(value).__name__
    raise ValueError(f"metric {name!r} is of type {kind}: give float(value), or put text about it into `feedback`")


# -- one trial --------------------------------------------------------------------------------------------------------


class Selection(Value):
    """The answer of `select`: where the next trial starts from."""

    parents: tuple[Count, ...] = ()
    """Committed trials whose candidates are to be changed or joined; empty: start afresh."""
    island: Count = 0
    island_name: Text = ""
    temperature: Number = 1.0
    """How bold the change should be: 0 is timid; models take it as their sampling temperature."""
    strategy: Text = ""
    """What this place wants, such as `refine` or `combine`; operators that know the word follow it."""
    member: Text = ""
    """The search that chose, where several take turns in the run; empty: there is one."""
    cells: Count = 0
    """How many cells of a MAP-Elites archive are filled; 0: there is no archive."""
    cases: Count = 0
    """How many cases the frontier has that the parents come from: trials that are the best on one of
    `Evaluation.cases` at least. 0: they come from no such frontier."""
    independent: bool = False
    """Whether the trial is to be a sample of its own: its `ctx.history` ends with its newest parent."""
    incumbent: Count | None = None
    """The trial whose evaluation this one has to beat (the incumbent of racing methods such as irace); `None`: there is
    none, nothing is pruned."""


class Advice(Value):
    """Context for whichever proposal is drawn: a lesson learned, an instruction from a person."""

    id: Name
    text: Text
    strategies: tuple[Text, ...] = ()
    """The strategies that it asks to follow, where it is a person's choice among those of the problem."""
    title: Text = ""
    """Of the section that it is in a prompt, for facts of several lines; empty: it is one entry among others."""
    of_parent: bool = False
    """Whether it tells of the program that the trial starts from: whoever fixes another one does not need it."""


class Attempt(Value):
    """What a trial tried before, and why that was rejected."""

    candidate: Candidate | None = None
    """`None` when there was no valid candidate."""
    draft: Text = ""
    """What there was in place of a candidate, such as a model's answer without code; not kept in records."""
    reason: Text
    feedback: Text = ""


class Proposal(Value):
    """One alternative for the next step, drawn by weight."""

    id: Name
    """Unique among the proposals of the trial."""
    operator: OperatorId
    instruction: Text = ""
    """What the operator should do this time, for operators that take instructions."""
    weight: Annotated[float, Field(strict=True, ge=0)] = 1.0
    """Multiplied with the pipeline's weight for the operator."""
    model: Text = ""
    """The model that this trial asks if it asks one. Left empty, the kernel draws one of the pipeline's models; empty
    in
    `mutate`: there is no model. `Trial.model` says whether one was asked."""
    data: Json = FrozenDict()
    """Facts for the operator's own `mutate`, such as a temperature or where the proposal comes from."""
    advice: tuple[Advice, ...] = ()
    """All advice offered for this trial; set by the kernel before `mutate`."""
    failed: tuple[Attempt, ...] = ()
    """What this trial tried already, the newest last; set by the kernel when the plugin's repair operator is called."""


class Trial(Value):
    """The record of one pass select, propose, mutate, evaluate."""

    number: Count
    view: Count
    """How many commits the trial had seen when it was opened."""
    selection: Selection | None = None
    """`None` for seed trials."""
    proposal: Proposal | None = None
    """The proposal that was drawn, with all advice offered; `None` for seed trials."""
    candidate: Candidate | None = None
    """`None` when `mutate` found no valid candidate."""
    evaluation: Evaluation
    duplicate_of: Count | None = None
    """The earlier trial in view with the same candidate, or one as near as the pipeline's `novelty` says, whose
    evaluation this one shares."""
    attempts: tuple[Attempt, ...] = ()
    """What was rejected before within this trial and went back to be repaired."""
    model: Text = ""
    """The model whose answers made the candidate, or else that was called in vain; empty: it was made without one.
    Not what was drawn: a model is drawn for every proposal, and many operators ask none."""
    evaluations_before: Count = 0
    """How many evaluations the operator asked for before it handed in the candidate. What they cost is part of what
    the evaluation says."""

    @property
    def score(self) -> float | None:
        """The score if the evaluation is `ok`; estimates of pruned trials do not count."""
        return self.evaluation.score if self.evaluation.status == "ok" else None


# -- agents' tools ----------------------------------------------------------------------------------------------------


class ToolCall(Value):
    """An agent's request."""

    id: Name
    """Unique within the agent's conversation."""
    tool: Name
    arguments: Json = FrozenDict()
    files: FrozenDict[Text, Text] | None = None
    """The candidate as it is when a tool with `for_candidates` is called; `None` for other tools."""

    def digest(self) -> str:
        """Return 32 hexadecimal digits: the hash of the whole call."""
        without = {"files"} if self.files is None else None
        return hashlib.sha256(self.model_dump_json(exclude=without).encode()).hexdigest()[:32]


class ToolResult(Value):
    """What the agent gets to see."""

    ok: bool
    content: Text
    """The result, or what went wrong and how to call it right."""


# -- control ----------------------------------------------------------------------------------------------------------


StopCause = Literal["user", "budget", "target", "plateau", "failure"]
"""Why a run stopped: a person or signal; all trials, time or money used up; the target score reached; no better for too
long; something that has to be fixed first."""


class Control(Value):
    """Something from outside that changed a run; written to the log before the first trial that it affects starts."""

    kind: Literal["tell", "stop", "settings"]
    first_trial: Count
    """The first trial that it affects; for a stop, the first that was not started."""
    commits: Count = 0
    """How many trials were committed when it happened."""
    text: Text = ""
    """The instruction, the reason of the stop, or the changed settings as YAML."""
    stop: StopCause | None = None
    """The cause of a stop, for programs; `None` for other controls."""
    facts: FrozenDict[Text, Text | float] = FrozenDict()
    """What the reason of a stop says: `by`, who stopped the run (`evo stop`, `terminal`, a signal); or `limit`, the
    setting of the budget that was reached, with its `value`."""
    strategies: tuple[Text, ...] = ()
    """The strategies that an instruction asks to follow, where it is a choice among those of the problem."""
    changed: tuple[Name, ...] = ()
    """The top-level settings that were changed, such as `plugins`."""
    message: Text = ""
    """The id of the message that asked for it, where one came from another process: each is applied once."""
