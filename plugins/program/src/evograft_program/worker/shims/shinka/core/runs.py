"""The runs of a program: one after the other, or in processes of their own."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

MODULE = "program"


@dataclass(frozen=True)
class RepeatedCall:
    """A function of a program, and how often it is called with what."""

    program_path: str
    function: str
    count: int
    get_arguments: Callable[[int], dict[str, Any]] | None
    """From the number of a run, from 0; `None`: only a seed, from 1."""

    def arguments(self, index: int) -> dict[str, Any]:
        return self.get_arguments(index) if self.get_arguments else {"seed": index + 1}


def load_program(program_path: str) -> Any:
    """Import a program from its file."""
    spec = importlib.util.spec_from_file_location(MODULE, program_path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{program_path} cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_in_turn(experiment: RepeatedCall) -> Iterator[tuple[Any, float]]:
    """Yield the result and the seconds of each run."""
    function = _find_function(experiment.program_path, experiment.function)
    for index in range(experiment.count):
        arguments = experiment.arguments(index)
        yield _measure(function, arguments)


def run_in_processes(experiment: RepeatedCall, workers: int) -> list[tuple[Any, float]]:
    """Return the result and the seconds of each run, in the order of their numbers."""
    path, name = experiment.program_path, experiment.function
    _find_function(path, name)  # what is wrong with it is said once, by this process
    with ProcessPoolExecutor(max_workers=workers) as pool:
        futures = [pool.submit(_run, path, name, experiment.arguments(index)) for index in range(experiment.count)]
        return [_wait_for(number, future) for number, future in enumerate(futures, 1)]


def _wait_for(number: int, future: Any) -> tuple[Any, float]:
    try:
        answer: tuple[Any, float] = future.result()
    except Exception as error:
        raise RuntimeError(f"run {number} failed in its process: {error}") from error
    return answer


def _run(program_path: str, name: str, arguments: dict[str, Any]) -> tuple[Any, float]:
    return _measure(_find_function(program_path, name), arguments)


def _find_function(program_path: str, name: str) -> Callable[..., Any]:
    function = getattr(load_program(program_path), name, None)
    if function is None:
        raise AttributeError(f"there is no function {name!r} in {program_path}")
    return function  # type: ignore[no-any-return]


def _measure(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = function(**arguments)
    return result, time.perf_counter() - start
