"""Chat completions in OpenAI's shape, which most servers speak: the body of a request, and what an answer says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from evograft.text.escapes import one_line
from evograft_hookspecs import FrozenDict, LlmAnswer, LlmRequest, LlmRetryable, Usage
from evograft_hookspecs.values import Json
from evograft_models.http.errors import find_fault, read_complaint
from evograft_models.options import refuse_fields

Finish = Literal["stop", "length", "filter"]

RESERVED = ("api_key", "messages", "model", "max_tokens", "max_completion_tokens", "n", "stream")
"""Set by the run, or, as a key is, by nobody in options."""
_FINISH: dict[str, Finish] = {"length": "length", "max_tokens": "length", "content_filter": "filter"}

Extra = Annotated[FrozenDict[str, Json], AfterValidator(refuse_fields(*RESERVED))]
"""Fields that a request gets in addition to those of the run."""


def build_request_fields(request: LlmRequest) -> dict[str, Any]:
    """Return the fields that every server knows, without the limit of tokens, whose name differs."""
    fields: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
    }
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.stop:
        fields["stop"] = list(request.stop)
    return fields


def parse_answer(data: Any, *, model: str, who: str) -> LlmAnswer:
    """Read an answer.

    Raises:
        LlmRetryable: it holds none; or what its own error means, because some report one as a success.
    """
    choice = _first_choice(data)
    finish = parse_finish(choice.get("finish_reason"))
    message = choice.get("message")
    if not isinstance(message, Mapping):
        if finish != "filter":
            raise _explain_no_answer(data, who)
        message = {}
    return LlmAnswer(
        text=replace_lone_surrogates(_join_text(message.get("content"))),
        model=model,
        finish=finish,
        usage=_parse_given_usage(data.get("usage")),
    )


def build_withheld_answer(model: str) -> LlmAnswer:
    """Return an answer of which a filter let nothing through."""
    return LlmAnswer(text="", model=model, finish="filter", usage=None)


def parse_finish(reason: Any) -> Finish:
    """Return why an answer ended, in our words; an unknown reason counts as the usual end."""
    return _FINISH.get(reason, "stop") if isinstance(reason, str) else "stop"


def replace_lone_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can escape and UTF-8 cannot hold."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first_choice(data: Any) -> Mapping[str, Any]:
    choices = data.get("choices") if isinstance(data, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _explain_no_answer(data: Any, who: str) -> Exception:
    error = data.get("error") if isinstance(data, Mapping) else None
    status = error.get("code") if isinstance(error, Mapping) else None
    if isinstance(status, int) and 400 <= status < 600:  # noqa: PLR2004 - HTTP's
        return find_fault(status, {}, read_complaint(data).encode("utf-8", "replace"), who=who)
    usage = _parse_given_usage(data.get("usage")) if isinstance(data, Mapping) else None
    return LlmRetryable(one_line(f"{who}: the answer holds no text: {read_complaint(data) or data}"), usage=usage)


def _join_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _part_text(part) for part in parts)


def _part_text(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def _parse_given_usage(given: Any) -> Usage | None:
    if not isinstance(given, Mapping):
        return None
    prompt, completion = given.get("prompt_tokens"), given.get("completion_tokens")
    return parse_usage(prompt, completion)


def parse_usage(prompt: Any, completion: Any) -> Usage | None:
    """Return the tokens that a provider counted; a prompt of none was not counted."""
    if not (_is_count(prompt) and prompt and _is_count(completion)):
        return None
    return Usage(prompt_tokens=prompt, completion_tokens=completion)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
