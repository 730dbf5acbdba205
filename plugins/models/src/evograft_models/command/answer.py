"""What a program printed, as an answer: its text, what it cost, or why there is none."""

from __future__ import annotations

import json
import math
from typing import Any

from evograft.text.escapes import one_line
from evograft_hookspecs import LlmAnswer, LlmRefused, Usage
from evograft_models.chat_completion import parse_usage, replace_lone_surrogates
from evograft_models.command.process import ProcessResult
from evograft_models.command.programs import OutputRules

SHOWN = 400
"""Characters of what a program said that a reason quotes."""


def read_answer(
    result: ProcessResult, rules: OutputRules, *, model: str, who: str, written: str | None = None
) -> LlmAnswer:
    """Read the answer of a program that has ended.

    Args:
        result: how it ended.
        rules: where its output says what.
        model: that was asked.
        who: the program, for messages.
        written: the contents of the file for the answer, if the command has one.

    Raises:
        LlmRefused: there is no answer; with what that has cost, as far as it is known.
    """
    data = _parse(result.stdout, rules)
    usage = _read_usage(data, rules)
    if result.limit:
        raise LlmRefused(f"{who}: {_describe_limit(result)}", usage=usage)
    error = _find(data, rules.error)
    if result.exit_code or error:
        said = error if isinstance(error, str) else _last_words(result)
        raise LlmRefused(one_line(f"{who}: exit code {result.exit_code}: {said}"), usage=usage or Usage())
    text = written if written is not None else _read_text(data, result, rules)
    if not isinstance(text, str):
        raise LlmRefused(one_line(f"{who}: the output holds no answer: {_last_words(result)}"), usage=usage)
    return LlmAnswer(text=replace_lone_surrogates(text), model=model, usage=usage)


def _parse(output: bytes, rules: OutputRules) -> Any:
    """Return what a program printed as JSON; `None` where it is none."""
    text = output.decode(errors="replace")
    if rules.format == "lines":
        return [data for line in text.splitlines() if isinstance(data := _load(line), dict)]
    return _load(text) if rules.format == "json" else None


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_text(data: Any, result: ProcessResult, rules: OutputRules) -> Any:
    return result.stdout.decode(errors="replace") if rules.format == "text" else _find(data, rules.text)


def _find(data: Any, expression: str) -> Any:
    """Return what an expression finds; `None`: nothing, or the data are not what it is for."""
    if not expression or data is None:
        return None
    import jmespath

    try:
        return jmespath.search(expression, data)
    except (jmespath.exceptions.JMESPathError, RecursionError):
        return None


def _read_usage(data: Any, rules: OutputRules) -> Usage | None:
    """Return what a call cost, as its program says; `None`: it does not."""
    prompt, completion = _find_count(data, rules.prompt_tokens), _find_count(data, rules.completion_tokens)
    usage = parse_usage(prompt, completion)
    dollars = _find(data, rules.dollars)
    if not _is_amount(dollars):
        return usage
    counted = usage or Usage(prompt_tokens=prompt or 0, completion_tokens=completion or 0)
    return counted.model_copy(update={"dollars": float(dollars)})


def _find_count(data: Any, expression: str) -> int | None:
    """Return a number of tokens; sums of JSON numbers may have become floats."""
    found = _find(data, expression)
    return int(found) if _is_amount(found) and float(found).is_integer() else None


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def _describe_limit(result: ProcessResult) -> str:
    if result.limit == "output":
        return "it printed more than llm.output_mb allows, and was ended"
    return f"no answer within llm.timeout, and it was ended{_prefixed(_last_words(result))}"


def _prefixed(words: str) -> str:
    return f"; it said: {words}" if words else ""


def _last_words(result: ProcessResult) -> str:
    """Return the end of what a program said: of its errors, else of its output."""
    texts = (said[-4 * SHOWN :].decode(errors="replace").strip() for said in (result.stderr, result.stdout))
    return one_line(next(filter(None, texts), "")[-SHOWN:])
