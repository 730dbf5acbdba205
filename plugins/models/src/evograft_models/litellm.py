"""Any provider, through litellm: models are named as it names them, such as `anthropic/claude-sonnet-4-5`."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from evograft.drivers.optional import import_optional
from evograft.text.escapes import one_line
from evograft_hookspecs import FrozenDict, LlmAnswer, LlmCall, LlmRetryable, LlmUnavailable, Price
from evograft_hookspecs.values import Json, thaw
from evograft_models.chat_completion import RESERVED, build_request_fields, build_withheld_answer, parse_answer
from evograft_models.http.address import HttpAddress
from evograft_models.http.api_keys import KeyVariable, require_key
from evograft_models.http.errors import AnswerFiltered, find_fault
from evograft_models.ollama import CLOUD
from evograft_models.options import refuse_fields

OLLAMA = ("ollama/", "ollama_chat/")
"""What litellm's names of Ollama's models begin with."""
OWN = ("api_base", "timeout", "num_retries", "max_retries", "fallbacks")
HOPELESS = ("LLM Provider NOT provided", "Missing credentials")
"""What litellm says when it cannot ask at all, under a status that promises better."""


class LiteLlmOptions(BaseModel):
    """How litellm is called; which provider is asked is a part of the model's name."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    api_base: HttpAddress | None = None
    """The server's address; null: the provider's own."""
    api_key_env: KeyVariable = ""
    """The environment variable that holds the key; empty: the provider's own, which litellm knows."""
    extra: Annotated[FrozenDict[str, Json], AfterValidator(refuse_fields(*RESERVED, *OWN))] = FrozenDict()
    """More arguments of each `litellm.completion`, such as `reasoning_effort` or `api_version`."""


class LiteLlm:
    """Asks through litellm, whose own retries are off: the run makes them, and counts them."""

    Options = LiteLlmOptions
    available = True
    patient = False
    default_model = ""

    def __init__(self, options: LiteLlmOptions) -> None:
        self.options = options
        self._fields: dict[str, Any] = {}
        self._litellm: Any = None
        self._closed = False

    def price(self, model: str) -> Price | None:
        """Return the price in the list that comes with litellm; nothing for what an Ollama server runs itself."""
        if model.startswith(OLLAMA) and not model.endswith(CLOUD):
            return Price(prompt=0.0, completion=0.0)
        try:
            known = _import_litellm().model_cost
        except LlmUnavailable:
            return None
        provider, _, name = model.partition("/")
        entry = known.get(model) or {}
        if not entry and known.get(name, {}).get("litellm_provider") == provider:
            entry = known[name]
        return _find_price(entry)

    def open(self, folder: Path) -> None:  # noqa: ARG002 - the protocol's
        self._litellm = _import_litellm()
        self._fields = {**thaw(self.options.extra), "num_retries": 0, "max_retries": 0, "drop_params": True}
        if self.options.api_base:
            self._fields["api_base"] = self.options.api_base
        if self.options.api_key_env:
            self._fields["api_key"] = require_key(self.options.api_key_env)

    def require_model(self, model: str) -> None:
        """Require a provider that litellm knows, and its key, unless a server or other credentials are set."""
        who = f"litellm, model {model!r}"
        try:
            self._litellm.get_llm_provider(model, api_base=self.options.api_base)
        except Exception as err:
            raise LlmUnavailable(
                f"{who}: no provider is known by that name; name it with its provider, such as anthropic/{model}"
            ) from err
        if self.options.api_base or self.options.api_key_env or self.options.extra:
            return
        # Not every provider wants a key: what else the library misses may come from a profile or a default.
        missing = self._litellm.validate_environment(model)["missing_keys"]
        keys = [name for name in missing if name.endswith("_API_KEY")]
        if keys and len(keys) == len(missing):
            raise LlmUnavailable(f"{who}: no API key: set the environment variable {' or '.join(keys)}")

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        if self._litellm is None or self._closed:
            raise LlmUnavailable("the run has stopped" if self._closed else "the driver has not been opened")
        request = call.request
        who = f"litellm, model {request.model!r}"
        fields = {**self._fields, **build_request_fields(request), "max_tokens": request.max_tokens, "timeout": timeout}
        try:
            data = self._litellm.completion(**fields).model_dump(warnings=False)
        except self._litellm.ContentPolicyViolationError:
            return build_withheld_answer(request.model)
        except Exception as err:  # noqa: BLE001 - providers' libraries raise what they like
            reason = _find_fault(err, who)
            if isinstance(reason, AnswerFiltered):
                return build_withheld_answer(request.model)
            if isinstance(reason, LlmRetryable) and isinstance(err, self._litellm.Timeout):
                raise LlmRetryable(str(reason), usage=None) from None
            raise reason from None
        return parse_answer(data, model=request.model, who=who)

    def close(self) -> None:
        """Close only its own calls: the library keeps its connections for the life of the process."""
        self._closed = True


def _import_litellm() -> Any:
    # Otherwise its import fetches a list of prices, and reads a .env file of the current folder.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    litellm = import_optional("litellm", extra="evograft-models[litellm]")
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    # It logs each failed call with its traceback; what matters of it is in our own error.
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm


def _find_price(entry: Mapping[str, Any]) -> Price | None:
    prompt, completion = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not (isinstance(prompt, (int, float)) and isinstance(completion, (int, float))):
        return None
    # Rounded, because 2.5e-06 * 1e6 is 2.4999999999999996.
    return Price(prompt=round(prompt * 1e6, 9), completion=round(completion * 1e6, 9))


def _find_fault(err: Exception, who: str) -> Exception:
    """Return the fault for an exception of the library.

    They are those of the openai package, with the status of HTTP or the one nearest to it.
    """
    if any(phrase in str(err) for phrase in HOPELESS):
        return LlmUnavailable(one_line(f"{who}: {err}"))
    status = getattr(err, "status_code", None)
    said = getattr(err, "body", None)
    error = {**(said if isinstance(said, dict) else {}), "message": str(err) or type(err).__name__}
    body = json.dumps({"error": error}, default=str).encode()
    # A success that could not be read has the status of one.
    if not isinstance(status, int) or status < 300:  # noqa: PLR2004 - HTTP's
        status = 500
    return find_fault(status, _headers_of(err), body, who=who)


def _headers_of(err: Exception) -> dict[str, str]:
    headers = getattr(err, "litellm_response_headers", None) or getattr(getattr(err, "response", None), "headers", None)
    return {str(name).lower(): str(value) for name, value in dict(headers or {}).items()}
