"""Judges candidates: quickly during the search, thoroughly at its end."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np

from evograft_graph_invariant.cache import cache_folder
from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.interpreter import Answers, evaluate_columns
from evograft_graph_invariant.leaks import find_monotone_copy
from evograft_graph_invariant.objective import SearchScore, measure, screened_score, search_score
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.problem import search_sets
from evograft_graph_invariant.program import Program
from evograft_graph_invariant.scoring import spearman
from evograft_graph_invariant.sheet import SearchSheet, load_sheet
from evograft_graph_invariant.targets import TARGETS, allowed_columns, reference_invariants
from evograft_hookspecs import CandidateRejected, EnvironmentReport, Evaluation, FrozenDict


class Judge:
    """Holds the data of one master seed at a time; safe to be called from several threads."""

    def __init__(self, options: GraphInvariantOptions) -> None:
        self.options = options
        self.target = TARGETS[options.target]
        self.columns = allowed_columns(options.target, options.level)
        self.folder: Path | None = cache_folder() if options.cache else None
        self._sheet: tuple[int, SearchSheet] | None = None
        self._lock = threading.Lock()

    def set_up(self) -> EnvironmentReport:
        return EnvironmentReport(done=(f"{len(self.columns)} columns of level {self.options.level}",))

    def close(self) -> None:
        pass

    def sheet(self, master_seed: int) -> SearchSheet:
        """The training and validation data, built or read on first use."""
        found = self._sheet
        if found is not None and found[0] == master_seed:
            return found[1]
        with self._lock:
            if self._sheet is None or self._sheet[0] != master_seed:
                train, validation = (
                    load_sheet(spec, master_seed, self.target, self.columns, self.folder)
                    for spec in search_sets(self.options)
                )
                references = reference_invariants(self.target.name)
                self._sheet = master_seed, SearchSheet(train, validation, references)
            return self._sheet[1]

    def score(self, source: str, master_seed: int) -> Evaluation:
        """The search's judgement, on training and validation graphs.

        Raises:
            CandidateRejected: the candidate is invalid.
        """
        sheet = self.sheet(master_seed)
        program = Program.parse(source)
        values = self.search_values(program, sheet)
        found = measure(values, sheet, screen=self.options.screen)
        if found is None:
            return self._screened(values, sheet)
        if abs(found.validation) > 0.999:
            self._refuse_copies(values, sheet)
        return self._scored(found, program)

    def search_values(self, program: Program, sheet: SearchSheet) -> Vector:
        assert program.formula is not None
        answers = evaluate_columns(program.formula, sheet.all.columns, sheet.all.count)
        require_values(answers)
        return answers.values

    def _screened(self, values: Vector, sheet: SearchSheet) -> Evaluation:
        train = spearman(values[: sheet.train.count], sheet.train.target)
        return Evaluation(
            status="ok",
            score=screened_score(train),
            stage="train",
            metrics=FrozenDict({"train_rho": train}),
            feedback=f"train rho {train:+.4f}: too weak to be looked at further",
        )

    def _scored(self, found: SearchScore, program: Program) -> Evaluation:
        nodes = program.ast_nodes
        simplicity = 1.0 / (1.0 + math.log2(max(nodes, 1)))
        return Evaluation(
            status="ok",
            score=search_score(found, nodes, self.options),
            stage="validation",
            metrics=FrozenDict(
                {
                    "train_rho": found.train,
                    "validation_rho": found.validation,
                    "worst_slice_rho": found.worst_slice,
                    "novelty": found.novelty,
                    "ast_nodes": float(nodes),
                }
            ),
            descriptors=FrozenDict({"simplicity": simplicity, "novelty": found.novelty, "ast_nodes": float(nodes)}),
            feedback=f"validation rho {found.validation:+.4f}, train rho {found.train:+.4f}, {nodes} AST nodes",
        )

    def _refuse_copies(self, values: Vector, sheet: SearchSheet) -> None:
        forbidden = {name: sheet.all.hidden[name] for name in self.target.forbidden if name in sheet.all.hidden}
        copied = find_monotone_copy(values, forbidden)
        if copied is not None:
            raise CandidateRejected(f"leak: the values restate {copied}")


def require_values(answers: Answers) -> None:
    """Refuses candidates that have no finite value on some graph, or the same one on all.

    Raises:
        CandidateRejected: with the first failures.
    """
    missing = int((~np.isfinite(answers.values)).sum())
    if missing:
        index, reason = answers.failures[0]
        count = len(answers.values)
        raise CandidateRejected(f"no value on {missing} of {count} graphs: graph {index}: {reason}")
    if (answers.values == answers.values[0]).all():
        raise CandidateRejected("the value is the same on every graph")
