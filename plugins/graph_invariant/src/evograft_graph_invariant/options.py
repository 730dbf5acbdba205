"""The plugin's `with:` section."""

from __future__ import annotations

from typing import Annotated, Literal, NoReturn, Self

from pydantic import Field, model_validator

from evograft.api import did_you_mean
from evograft_graph_invariant.baselines.protocol import ALWAYS, BaselineName
from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.graphs.function_names import is_function
from evograft_graph_invariant.graphs.own_options import GraphOptions
from evograft_graph_invariant.graphs.targets import TARGETS, find_target
from evograft_graph_invariant.graphs.vocabulary import Level
from evograft_graph_invariant.records.options import ExperimentRecordOptions
from evograft_hookspecs import FrozenDict, NoOptions

Share = Annotated[float, Field(ge=0, le=1)]
KINDS = 5
"""Kinds of graph in the training distribution."""

NodeRange = tuple[Annotated[int, Field(ge=5)], Annotated[int, Field(le=2000)]]


class Weights(NoOptions):
    """Weights of the total score."""

    alpha: Share = 0.6
    """Weight of |ρ|."""
    beta: Share = 0.2
    """Weight of simplicity."""
    gamma: Share = 0.2
    """Weight of the novelty bonus."""
    w1: Share = 0.5
    """Weight of the AST nodes within simplicity."""
    w2: Share = 0.5
    """Weight of the length of SymPy's formula within simplicity."""

    @model_validator(mode="after")
    def _stays_within_one(self) -> Self:
        if self.alpha + self.beta + self.gamma > 1 + 1e-9:
            raise ValueError("alpha, beta and gamma add up to more than 1, and the total score would too")
        if self.w1 + self.w2 > 1 + 1e-9:
            raise ValueError("w1 and w2 add up to more than 1, and simplicity would too")
        return self

    def total(self, *, rho: float, simplicity: float, novelty: float) -> float:
        """Return the total score, in [0, 1]."""
        return self.alpha * abs(rho) + self.beta * simplicity + self.gamma * novelty


class ExploreOptions(NoOptions):
    """The search inside the plugin's own operators, counted in formulas that are looked at."""

    slice: Annotated[int, Field(ge=100)] = 3000
    """Formulas that one trial of `explore` looks at, fits included."""
    rounds: Annotated[int, Field(ge=1)] = 3
    """At how many places of a formula, one after another."""
    width: Annotated[float, Field(gt=0, lt=1)] = 0.85
    """The share of the slice that is screened, many at a time; the rest is for a closer look and for fits."""
    closer: Annotated[int, Field(ge=1)] = 30
    """The number of formulas that a round looks at more closely."""
    fits: Annotated[int, Field(ge=0)] = 4
    """The number of these whose constants are fitted."""
    fit_evaluations: Annotated[int, Field(ge=10)] = 200
    """Formulas that one trial of `fit` looks at."""
    least_squares: bool = False
    """Whether terms are joined and numbers fitted by least squares too, and every second parent loses an operation
    first: this gets far within few trials, and is measured for weak columns only."""
    history: Annotated[int, Field(ge=0, le=1000)] = 100
    """The number of newest trials that are not made a second time."""
    weight: Annotated[float, Field(ge=0)] = 60.0
    """Weight of `explore` in a run without a model, next to other plugins' operators; 0: never."""
    fit_weight: Annotated[float, Field(ge=0)] = 1.0
    """Weight of `fit`, likewise."""
    weight_with_model: Annotated[float, Field(ge=0)] = 0.0
    """Weight of `explore` in a run with a model, next to the 1 of the plugin `operators`: with 0.1 it makes one
    candidate in eleven. 0: never, so that the model does the writing."""
    fit_weight_with_model: Annotated[float, Field(ge=0)] = 0.0
    """Weight of `fit`, likewise."""


class TargetOptions(NoOptions):
    """What is to be predicted, and what the user brings for it."""

    target: str = "average_shortest_path_length"
    """An invariant by its name, a function of yours as `FILE.py:FUNCTION` or by its entry point, or a column of
    `graphs.table`."""
    graphs: GraphOptions | None = None
    """Graphs of yours in place of random ones; then there are no out-of-distribution sets."""
    own_columns: FrozenDict[Annotated[str, Field(pattern=r"^own_[a-z0-9_]+$")], str] = FrozenDict()
    """Columns of yours next to those of the level, each a function or a column of the table as `target` has it."""

    @property
    def reads_table(self) -> bool:
        """Whether the target or a column is known of the user's graphs only, from their table."""
        return any(not is_function(each) for each in (*self._own_target, *self.own_columns.values()))

    @property
    def _own_target(self) -> tuple[str, ...]:
        return () if self.target in TARGETS else (self.target,)


class DataOptions(TargetOptions):
    """The target of the search, and the graphs."""

    mode: Literal["approximate", "upper", "lower"] = "approximate"
    """`approximate`: a formula that orders graphs as the target does. `upper`, `lower`: a bound of the target, valid on
    every graph seen and on all connected graphs of up to seven nodes, then tight."""
    level: Level = "spectrum"
    """The columns that candidates may use; each level includes those before it."""
    master_seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    """All graphs follow from it. `None`: drawn from the run's own seed."""
    sizes: NodeRange = (30, 100)
    """The range of the number of nodes of the training, validation and test graphs."""
    train: Annotated[int, Field(ge=10)] = 50
    validation: Annotated[int, Field(ge=25)] = 200
    test: Annotated[int, Field(ge=10)] = 200
    extra_test: Annotated[int, Field(ge=0)] = 0
    """Additional graphs of the test set, of `extra_test_sizes`."""
    extra_test_sizes: NodeRange = (100, 1000)
    large: Annotated[int, Field(ge=5)] = 100
    """Graphs of the OOD set `large_random`, of `large_sizes`."""
    large_sizes: NodeRange = (200, 500)
    larger: Annotated[int, Field(ge=10)] = 100
    """Graphs of the training distribution that `larger_weight` counts; they are none of the other sets."""
    larger_sizes: NodeRange = (100, 200)
    extreme: Annotated[int, Field(ge=4)] = 50
    """Graphs of the OOD set `extreme_params`, of `extreme_sizes` before the largest component is taken."""
    extreme_sizes: NodeRange = (50, 200)


class ScoreOptions(DataOptions):
    """The score of candidates, and the methods that they are compared with at the end."""

    objective: Literal["robust", "straight", "rho", "total"] = "robust"
    """`rho`: |ρ| on validation. `straight`: its mean with the straightness of the relation, which chance bends less.
    `robust`: the mean of both and of |ρ| in the worst slice of training and validation graphs (one kind, similar size
    or similar density); formulas that it prefers hold better outside of the data. All less `parsimony` a node. `total`:
    the weighted total score."""
    unsafe_cost: Annotated[float, Field(ge=0, lt=1)] = 0.01
    """The amount that `robust` and `straight` subtract for each operation that may be undefined on some connected
    graph, such as a root of `0.45 - density`: data that hold no such graph cannot tell, bounds of the columns can."""
    steep_cost: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The same for each power beyond the third, which fits the graphs at hand as a gentler one does and not others."""
    atlas_weight: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The weight that |ρ| on all connected graphs of two to seven nodes is added with, except to `total`. These graphs
    are unlike random ones and contain no graph that is judged, so it prefers formulas that hold elsewhere too."""
    larger_weight: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The weight of |ρ| on `larger` graphs of `larger_sizes`, likewise: what errs there errs on the large ones too."""
    parsimony: Annotated[float, Field(ge=0, lt=1)] = 0.0001
    """The cost of an AST node."""
    screen: Share = 0.3
    """A candidate whose |ρ| on the training graphs is lower is not looked at further."""
    weights: Weights = Weights()
    novelty: Literal["plain", "given_target"] = "plain"
    """What the novelty bonus is 1 less of: `plain`, the largest |ρ| with a reference invariant; `given_target`, the
    largest partial rank correlation given the target. Both stand in the final judgement."""
    baselines: tuple[BaselineName, ...] = ALWAYS
    """The methods that the final evaluation compares with. One that is not installed is a row that says so."""
    baseline_seconds: Annotated[float, Field(gt=0)] = 60.0
    """The budget of each symbolic baseline, in CPU seconds as of the machine that its evaluations were counted on: it
    gets a number of evaluations, so that equal seeds give equal tables."""

    @property
    def weighs_atlas(self) -> bool:
        """Whether the score that the search climbs counts the atlas."""
        return self.atlas_weight > 0 and self._weighs_sets and not self.reads_table

    @property
    def weighs_larger(self) -> bool:
        """Whether that score counts larger random graphs."""
        return self.larger_weight > 0 and self._weighs_sets and self.graphs is None

    @property
    def _weighs_sets(self) -> bool:
        return self.objective != "total" and self.mode == "approximate"


class GraphInvariantOptions(ScoreOptions):
    """All options: what is searched for on which graphs, what is scored, and how candidates are made and run."""

    max_nodes: Annotated[int, Field(ge=6)] = 29
    """The largest expression, in AST nodes, that the grammar offers to operators; the return is one node more."""
    constants: tuple[float, float] = (-3.0, 3.0)
    """The range that the operators draw new constants from."""
    explore: ExploreOptions = ExploreOptions()
    """The search inside the plugin's own operators."""
    fallbacks: FallbackOptions | None = None
    """The treatment of islands without a valid candidate; `None`: nothing is done."""
    records: ExperimentRecordOptions | None = None
    """Where events, checkpoints and the summary of an experiment go; `None`: they are not written."""
    cache: bool = True
    """Whether built data sets are kept in the user's cache folder."""
    sandbox_workers: Annotated[int, Field(ge=1)] = 2
    """The number of programs that are not formulas that run at a time."""
    cpu_seconds: Annotated[float, Field(gt=0)] = 2.0
    """CPU time of such a program over one data set; twice as much of wall time."""
    memory_mb: Annotated[int, Field(ge=1)] = 256
    """The memory that it may use in addition to the data."""

    @model_validator(mode="after")
    def _has_quantities(self) -> Self:
        if self.reads_table and (self.graphs is None or self.graphs.table is None):
            self._refuse_unknown()
        if self.reads_table and self.mode != "approximate":
            raise ValueError(
                f"a bound is tried on small graphs too, which graphs.table lacks: mode {self.mode} needs functions"
            )
        return self

    def _refuse_unknown(self) -> NoReturn:
        """Name the quantity that is neither known nor a function, where there is no table that it could be read from.

        Raises:
            ValueError: always.
        """
        wanted = "a function as FILE.py:FUNCTION, or a column of graphs.table"
        if self._own_target and not is_function(self.target):
            hint = did_you_mean(self.target, TARGETS)
            raise ValueError(f"{self.target!r} is no target; {hint} (or name {wanted})")
        name, reference = next(item for item in self.own_columns.items() if not is_function(item[1]))
        raise ValueError(f"own_columns.{name} is {reference!r}: name {wanted}")

    @model_validator(mode="after")
    def _is_computable(self) -> Self:
        target = find_target(self.target)
        if target.largest is None or self.graphs is not None:
            return self
        ends = {"sizes": self.sizes, "large_sizes": self.large_sizes, "extreme_sizes": self.extreme_sizes}
        if self.weighs_larger:
            ends["larger_sizes"] = self.larger_sizes
        high = [name for name, (_, end) in ends.items() if end > target.largest]
        if high:
            raise ValueError(
                f"{target.name} takes long on graphs of more than {target.largest} nodes: lower {', '.join(high)}"
            )
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        counts = {"train": self.train, "validation": self.validation, "test": self.test}
        for name, count in {
            **counts,
            "extra_test": self.extra_test,
            "large": self.large,
            "larger": self.larger,
        }.items():
            if count % KINDS:
                raise ValueError(f"{name} is a multiple of {KINDS}, so that every kind of graph has an equal share")
        drawn = {"sizes": self.sizes, "extra_test_sizes": self.extra_test_sizes}
        for name, (low, high) in {
            **drawn,
            "large_sizes": self.large_sizes,
            "larger_sizes": self.larger_sizes,
            "extreme_sizes": self.extreme_sizes,
        }.items():
            if low > high:
                raise ValueError(f"{name} starts with its lower end, not {low} of {low} to {high}")
        if not self.constants[0] < self.constants[1]:
            raise ValueError("constants is a lower and a higher end")
        return self
