"""A loader for tests as a plugin would write it: graphs, and the libraries that formulas over graphs use."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import scipy as sp

from evograft_sandbox.functions import Preload


def load(graphs: int = 200, nodes: int = 100) -> Preload:
    data = [nx.gnp_random_graph(nodes, 0.1, seed=seed) for seed in range(graphs)]
    modules = {"math": math, "numpy": np, "networkx": nx, "scipy": sp}
    return Preload({"graphs": data}, modules, {"math": math, "np": np, "nx": nx})
