"""How evaluators of each style are called, in the main thread of a process of their own."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import runpy
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from evograft_program.worker.channel import AnswerChannel
from evograft_program.worker.encoding import encode
from evograft_program.worker.request import EvaluationRequest
from evograft_program.worker.texts import call_evaluator, find_examples, read_candidate, takes_example

STAGES = ("evaluate_stage1", "evaluate_stage2", "evaluate_stage3")
RESULTS = "results"
EVALUATOR_MODULE = "evaluation_module"
"""What OpenEvolve calls it, for evaluators that look themselves up."""


def evaluate_openevolve(request: EvaluationRequest, channel: AnswerChannel) -> None:
    module = _load_evaluator(request)
    if not request.thresholds or not hasattr(module, STAGES[0]):
        function = getattr(module, request.function or "evaluate")
        _answer(request, channel, partial(function, request.program))
        return
    numbers: dict[str, float] = {}
    for number, name in enumerate(STAGES):
        stage = getattr(module, name, None)
        if stage is None:
            return
        value = _answer(request, channel, partial(stage, request.program), stage=f"stage{number + 1}")
        numbers |= _find_numbers(value)
        if number >= len(request.thresholds) or not _passes(numbers, request.thresholds[number]):
            return


def _answer(request: EvaluationRequest, channel: AnswerChannel, call: Callable[[], Any], *, stage: str = "") -> Any:
    """Answer with what a call returns; whatever candidates can make slow is within the time of the stage."""
    channel.send("stage", stage=stage)
    with _Deadline(request, channel):
        value = _wait_for(call())
        answer = encode(value)
        flush()
    channel.send("value", stage=stage, value=answer)
    return value


def flush() -> None:
    """Let go of what was printed, if what stands there now still can."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


def _wait_for(value: Any) -> Any:
    """Return what an evaluator returned, also one that is asynchronous."""
    if not inspect.iscoroutine(value):
        return value
    import asyncio

    return asyncio.run(value)


def _find_numbers(value: Any) -> dict[str, float]:
    """Return the numbers of a stage that decide about the next one, flags among them."""
    metrics = getattr(value, "metrics", value)
    if not isinstance(metrics, dict):
        return {}
    return {name: each for name, each in metrics.items() if isinstance(each, (int, float)) and name != "error"}


def _passes(numbers: dict[str, float], threshold: float) -> bool:
    """Return whether the stages so far reach what the next one asks for."""
    if not numbers:
        return False
    reached = numbers.get("combined_score", sum(numbers.values()) / len(numbers))
    return bool(reached >= threshold)


def evaluate_shinka(request: EvaluationRequest, channel: AnswerChannel) -> None:
    results = Path(RESULTS).absolute()
    results.mkdir()
    options = ("--program_path", request.program, "--results_dir", str(results), *request.arguments)
    sys.argv = [request.evaluator, *options]
    _answer(request, channel, partial(_run_script, request.evaluator, results))


def _run_script(script: str, results: Path) -> dict[str, Any]:
    """Return what a script has left in the folder of its results; its exit status says nothing."""
    with suppress(SystemExit):
        runpy.run_path(script, run_name="__main__")
    return {name: _read_json(results / f"{name}.json") for name in ("metrics", "correct")}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def evaluate_gepa(request: EvaluationRequest, channel: AnswerChannel) -> None:
    module = _load_evaluator(request)
    function = _find_function(module, request.function, first="candidate")
    candidate = read_candidate(request)
    if request.examples:
        examples: list[Any] | None = _read_examples(request.examples)
    else:
        examples = find_examples(module) if takes_example(function) else None
    _answer(request, channel, partial(call_evaluator, function, candidate, examples))


def _find_function(module: ModuleType, name: str, *, first: str) -> Callable[..., Any]:
    if name:
        function: Callable[..., Any] = getattr(module, name)
        return function
    for each in vars(module).values():
        own = inspect.isfunction(each) and each.__module__ == module.__name__
        if own and next(iter(inspect.signature(each).parameters), "") == first:
            return each  # type: ignore[no-any-return]
    raise AttributeError(f"{module.__file__} defines no function whose first parameter is named {first!r}")


def _read_examples(path: str) -> list[Any]:
    text = Path(path).read_text(encoding="utf-8")
    try:
        data = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return data if isinstance(data, list) else [data]


def evaluate_function(request: EvaluationRequest, channel: AnswerChannel) -> None:
    module = _load_evaluator(request)

    def evaluate() -> Any:
        candidate = _load_module("candidate", request.program)
        return module.evaluate(getattr(candidate, request.function))

    _answer(request, channel, evaluate)


def _load_evaluator(request: EvaluationRequest) -> ModuleType:
    sys.argv = [request.evaluator]
    return _load_module(EVALUATOR_MODULE, request.evaluator)


def _load_module(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _Deadline:
    """Ends this process when a stage takes too long.

    Only a thread can tell in which stage, since evaluators use the alarm signal themselves. An extension that does not
    let other threads run is ended by the sandbox, a little later.
    """

    def __init__(self, request: EvaluationRequest, channel: AnswerChannel) -> None:
        self._channel = channel
        self._timer = threading.Timer(request.seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self._channel.send("time-out")
        os._exit(0)


EVALUATIONS: dict[str, Callable[[EvaluationRequest, AnswerChannel], None]] = {
    "openevolve": evaluate_openevolve,
    "shinka": evaluate_shinka,
    "gepa": evaluate_gepa,
    "function": evaluate_function,
}
