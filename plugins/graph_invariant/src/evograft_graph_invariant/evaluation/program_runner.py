"""Programs that are not formulas, run on the graphs themselves in the sandbox."""

from __future__ import annotations

import threading

import numpy as np

from evograft_graph_invariant.evaluation.failure_reason import redact_reason
from evograft_graph_invariant.evaluation.question_order import AGAIN, shuffle_calls
from evograft_graph_invariant.formulas.interpreter import CandidateValues
from evograft_graph_invariant.formulas.parser import FUNCTION
from evograft_graph_invariant.graphs.cache import get_cache_folder
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_hookspecs import CandidateRejected
from evograft_sandbox.functions import FunctionLimits, PythonSandbox

PATIENCE = 10
"""The factor of the time in the final evaluation, whose graphs are up to five times as large."""

LOADER = "evograft_graph_invariant.evaluation.sandbox_loader:load"


class ProgramRunner:
    """A sandbox with the data of one master seed, started with the first program that needs it."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int, purpose: str) -> None:
        self._options = options
        self._master_seed = master_seed
        self._patience = PATIENCE if purpose == "final" else 1
        self._arguments = {
            "master_seed": master_seed,
            "options": options.model_dump(mode="json"),
            "purpose": purpose,
            "folder": str(get_cache_folder()) if options.cache else None,
        }
        self._sandbox: PythonSandbox | None = None
        self._lock = threading.Lock()

    def run(self, source: str, dataset: str) -> CandidateValues:
        """Return the program's value on every graph of a set.

        Raises:
            CandidateRejected: it failed as a whole: refused, out of time, out of memory.
        """
        again = dataset.endswith(AGAIN)
        result = self._started().run(source, function=FUNCTION, dataset=dataset, moved=again)
        if result.values is None:
            raise CandidateRejected(result.error)
        order = shuffle_calls(dataset, len(result.values), self._master_seed)
        values = np.empty(len(order))
        values[order] = result.values
        failures = ((order[place], redact_reason(reason, source)) for place, reason in result.item_errors)
        return CandidateValues(values, tuple(sorted(failures)))

    def close(self) -> None:
        with self._lock:
            if self._sandbox is not None:
                self._sandbox.close()
                self._sandbox = None

    def _started(self) -> PythonSandbox:
        with self._lock:
            if self._sandbox is None:
                self._sandbox = PythonSandbox(
                    LOADER,
                    self._arguments,
                    limits=FunctionLimits(
                        cpu_seconds=self._patience * self._options.cpu_seconds,
                        wall_seconds=2 * self._patience * self._options.cpu_seconds,
                        memory_mb=self._options.memory_mb,
                    ),
                    workers=self._options.sandbox_workers,
                )
            return self._sandbox
