"""The options of `evograft.evolve` and `evograft.study`: those of `evo evolve`, by the same names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from evograft.cli_kit.console import Style

EvaluatorStyleName = Literal["openevolve", "shinka", "gepa", "container", "function", "command"]
ProgramSource = str | os.PathLike[str]
"""A path; a text of several lines is the program itself."""
EvaluatorSource = str | os.PathLike[str] | Callable[..., object]
"""A path or a shell line; a text of several lines is a Python module; a function is sent by its source."""


class SearchKeywords(TypedDict, total=False):
    """How to search, whoever evaluates."""

    llm: str
    """`DRIVER:MODEL`, several separated by commas; without it numbers of the program are varied."""
    api_base: str
    statement: str
    """The task in words, for models."""
    suffix: str
    """What the name of a candidate's file ends with, where the program is given as a text."""
    name: str
    """The first part of the run's name."""
    seed: int
    trials: int
    dollars: float
    target_score: float
    metric: str
    minimise: bool
    """Whether less is better: scores are then negated, metrics are not."""
    bounds: tuple[float, float]
    plugins: Sequence[str]
    """Further ones, by name."""
    settings: Mapping[str, Any]
    """Settings of the pipeline, by keys such as `budget.plateau`."""
    folder: str | Path
    """Of the run; else a new one where runs are kept."""


class EvolveOptions(SearchKeywords, total=False):
    """How to search and to evaluate."""

    seconds: float
    jobs: int
    """Evaluations at a time."""
    style: EvaluatorStyleName
    function: str
    config: str | Path
    """A configuration file of OpenEvolve or ShinkaEvolve."""
    change: Sequence[str]
    """Patterns of what may change, where the program is a folder."""
    examples: str | Path
    final: str | Path
    python: str
    read: Sequence[str | Path]
    env: Sequence[str]
    network: bool
    memory_mb: int
    timeout: float
    score: str
    repeat: int
    confirm: int
    background: bool
    """Whether a process of its own works on the run, which outlives this one."""
    progress: Style


class StudyOptions(SearchKeywords, total=False):
    """How to search, where the caller evaluates."""

    window: int
    """Trials that may be open at a time; 1, so that each proposal knows every score before it."""
