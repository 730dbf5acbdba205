"""Any server that speaks OpenAI's protocol: OpenAI itself, vLLM, llama.cpp, LM Studio, OpenRouter and many more."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from evograft_hookspecs import FrozenDict, LlmAnswer, LlmCall, LlmUnavailable, Price
from evograft_hookspecs.values import thaw
from evograft_models.chat_completion import Extra, build_request_fields, build_withheld_answer, parse_answer
from evograft_models.http.address import HttpAddress, is_openai
from evograft_models.http.api_keys import USUAL, KeyVariable, find_key_for
from evograft_models.http.errors import AnswerFiltered, FieldRefused

if TYPE_CHECKING:
    from evograft_models.http.client import JsonClient

PATH = "/chat/completions"
INSTEAD = {"temperature": "", "max_tokens": "max_completion_tokens"}
"""Fields that reasoning models refuse, and the one that has its value for those; empty: they do without."""


class OpenAiOptions(BaseModel):
    """Which server, and how it is asked."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: HttpAddress = "https://api.openai.com/v1"
    """The part of the address before `/chat/completions`."""
    api_key_env: KeyVariable = USUAL
    """The environment variable that holds the key; empty: no key is sent."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    """What the server calls the limit of an answer; null: `max_completion_tokens` at OpenAI, else `max_tokens`."""
    extra: Extra = FrozenDict()
    """More fields of each request, such as `reasoning_effort`."""


class OpenAiLlm:
    """Asks over kept connections, each question in one request."""

    Options = OpenAiOptions
    available = True
    patient = False
    default_model = ""

    def __init__(self, options: OpenAiOptions) -> None:
        self.options = options
        self._limit = options.max_tokens_field or (
            "max_completion_tokens" if is_openai(options.base_url) else "max_tokens"
        )
        self._extra = thaw(options.extra)
        self._client: JsonClient | None = None
        self._refused: dict[str, frozenset[str]] = {}
        """By model, the fields of `INSTEAD` that it does not take."""

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the protocol's
        """Return nothing: servers do not say their prices, `llm.models` does."""
        return None

    def open(self, folder: Path) -> None:  # noqa: ARG002 - the protocol's
        from evograft_models.http.client import JsonClient

        options = self.options
        self._client = JsonClient(options.base_url, key=find_key_for(options.api_key_env, options.base_url))

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        if self._client is None:
            raise LlmUnavailable("the driver has not been opened")
        request = call.request
        fields = {**self._extra, **build_request_fields(request), self._limit: request.max_tokens}
        try:
            data = self._post(self._client, fields, timeout=timeout)
        except AnswerFiltered:
            return build_withheld_answer(request.model)
        return parse_answer(data, model=request.model, who=f"{self._client.base_url}{PATH}")

    def _post(self, client: JsonClient, fields: dict[str, Any], *, timeout: float) -> Any:
        """Send a request, once more without what the model turns out not to take, which is remembered."""
        begin, known = time.monotonic(), self._refused.get(fields["model"], frozenset())
        try:
            return client.post(PATH, _adapt(fields, known), timeout=timeout)
        except FieldRefused as err:
            if err.field in known or err.field not in INSTEAD or err.field not in fields:
                raise
            self._refused[fields["model"]] = known | {err.field}
        return self._post(client, fields, timeout=timeout - (time.monotonic() - begin))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def _adapt(fields: Mapping[str, Any], refused: Collection[str]) -> dict[str, Any]:
    """Return the fields of a request for a model that does not take some of them."""
    kept = {name: value for name, value in fields.items() if name not in refused}
    return {**kept, **{INSTEAD[name]: fields[name] for name in refused if INSTEAD[name] and name in fields}}
