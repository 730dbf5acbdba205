"""Models on an Ollama server, on this machine or another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict

from evograft.drivers.optional import import_optional
from evograft.text.escapes import one_line
from evograft_hookspecs import FrozenDict, LlmAnswer, LlmCall, LlmRequest, LlmRetryable, LlmUnavailable, Price
from evograft_hookspecs.values import Json, thaw
from evograft_models.chat_completion import parse_finish, parse_usage, replace_lone_surrogates
from evograft_models.http.address import check_address
from evograft_models.http.errors import ModelNotFound
from evograft_models.options import refuse_fields

if TYPE_CHECKING:
    from evograft_models.http.transport import Transport

USUAL = "http://127.0.0.1:11434"
CLOUD = ("-cloud", ":cloud")
RESERVED = ("num_predict",)
OPENING = 10.0
"""Seconds that a server has to say that it is there."""


def _host(given: str) -> str:
    return check_address(add_scheme(given)) if given else ""


class OllamaOptions(BaseModel):
    """Which server, and how it treats models."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: Annotated[str, AfterValidator(_host)] = ""
    """The server's address; empty: what the variable OLLAMA_HOST says, else `http://127.0.0.1:11434`."""
    keep_alive: str | float | None = None
    """How long a model stays in memory after a call (`10m`, seconds, -1: for ever); null: as the server is set."""
    extra: Annotated[FrozenDict[str, Json], AfterValidator(refuse_fields(*RESERVED))] = FrozenDict()
    """Options of the model, such as `num_ctx`, the size of its context."""


class OllamaLlm:
    """Asks through Ollama's own client, each question in one request."""

    Options = OllamaOptions
    available = True
    patient = False
    default_model = ""

    def __init__(self, options: OllamaOptions) -> None:
        self.options = options
        self._extra = thaw(options.extra)
        self._host = ""
        self._client: Any = None
        self._transport: Transport | None = None

    def price(self, model: str) -> Price | None:
        """Return a price of nothing for a model that runs on the server itself."""
        return None if model.endswith(CLOUD) else Price(prompt=0.0, completion=0.0)

    def open(self, folder: Path) -> None:  # noqa: ARG002 - the protocol's
        ollama = import_optional("ollama", extra="evograft-models[ollama]")
        from evograft_models.ollama_transport import CleanTransport

        self._host = self.options.host or _read_host()
        self._transport = CleanTransport(self._host)
        self._client = ollama.Client(host=self._host, **self._transport.settings())
        try:
            with self._transport.asking(self._host, seconds=OPENING):
                self._client.list()
        except (LlmRetryable, ModelNotFound, ValueError, TypeError) as err:
            raise LlmUnavailable(
                one_line(
                    f"no Ollama server answers at {self._host}: start it with 'ollama serve', "
                    f"or give its address as llm.host or in OLLAMA_HOST ({err})"
                )
            ) from None

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        if self._transport is None:
            raise LlmUnavailable("the driver has not been opened")
        request = call.request
        try:
            with self._transport.asking(self._host, seconds=timeout):
                reply = self._client.chat(
                    model=request.model,
                    messages=[{"role": message.role, "content": message.content} for message in request.messages],
                    options=self._options_of(request),
                    keep_alive=self.options.keep_alive,
                )
        except ModelNotFound as err:
            raise LlmUnavailable(one_line(f"{err}; get the model with: ollama pull {request.model}")) from None
        except (ValueError, TypeError, RecursionError) as err:
            raise LlmRetryable(one_line(f"{self._host}: the answer cannot be read: {err}"), usage=None) from None
        return LlmAnswer(
            text=replace_lone_surrogates(reply.message.content or ""),
            model=request.model,
            finish=parse_finish(reply.done_reason),
            usage=parse_usage(reply.prompt_eval_count, reply.eval_count),
        )

    def _options_of(self, request: LlmRequest) -> dict[str, Any]:
        options = {**self._extra, "num_predict": request.max_tokens}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.stop:
            options["stop"] = list(request.stop)
        return options

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _read_host() -> str:
    try:
        return check_address(add_scheme(os.environ.get("OLLAMA_HOST", "").strip() or USUAL))
    except ValueError as err:
        raise LlmUnavailable(f"the environment variable OLLAMA_HOST: {err}") from None


def add_scheme(host: str) -> str:
    """Return a whole address from what Ollama accepts as one: `gpu`, `gpu:8080`, `http://gpu`."""
    if "://" in host:
        return host
    port = "" if urlsplit(f"//{host}").port else ":11434"
    return f"http://{host.rstrip('/')}{port}"
