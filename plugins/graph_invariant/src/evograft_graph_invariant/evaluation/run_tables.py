"""The data sets of a run as feature tables: built or read from the cache when they are asked for."""

from __future__ import annotations

import numpy as np

from evograft.api import UserError
from evograft_graph_invariant.evaluation.data_splits import get_search_sets
from evograft_graph_invariant.evaluation.run_columns import list_columns, list_quantities
from evograft_graph_invariant.graphs.cache import get_cache_folder
from evograft_graph_invariant.graphs.datasets import GraphSet, SetSpec, load_set
from evograft_graph_invariant.graphs.targets import find_target, get_reference_invariants
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable, SearchTable, get_quantities, load_table


class RunTables:
    """Tables with the run's target and the columns that its candidates may use."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int) -> None:
        self.target = find_target(options.target)
        self._options = options
        self._master_seed = master_seed
        self._columns = list_columns(options)
        self._quantities = list_quantities(options)
        self._folder = get_cache_folder() if options.cache else None

    def load(self, spec: SetSpec) -> FeatureTable:
        """Return the table of a data set."""
        return load_table(spec, self._master_seed, self.target, self._columns, self._folder, self._quantities)

    def load_search_table(self) -> SearchTable:
        """Return the training and validation graphs, prepared for scoring."""
        train, validation = map(self.load, get_search_sets(self._options))
        if np.ptp(train.target) == 0 or np.ptp(validation.target) == 0:
            raise UserError(
                f"the target {self.target.name} is {train.target[0]:g} on all training or validation graphs, so that "
                "nothing orders them: choose other graphs"
            )
        references = get_reference_invariants(self._options.target)
        given_target = self._options.novelty == "given_target"
        return SearchTable(train, validation, references, novelty_given_target=given_target)

    def load_graphs(self, spec: SetSpec) -> GraphSet:
        """Return the graphs of a data set without any columns."""
        return load_set(spec, self._master_seed, folder=self._folder, columns=())

    def get_references(self, table: FeatureTable) -> dict[str, Vector]:
        """Return the invariants that everybody knows, which novelty is measured against."""
        return get_quantities(table, get_reference_invariants(self._options.target))
