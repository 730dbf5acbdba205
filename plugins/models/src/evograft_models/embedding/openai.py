"""Vectors of any server that speaks OpenAI's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from evograft.text.escapes import one_line
from evograft_hookspecs import FrozenDict, LlmRefused, LlmRetryable, LlmUnavailable
from evograft_hookspecs.values import Json, thaw
from evograft_models.http.address import HttpAddress
from evograft_models.http.api_keys import USUAL, KeyVariable, find_key_for
from evograft_models.options import refuse_fields

if TYPE_CHECKING:
    from evograft_models.http.client import JsonClient

PATH = "/embeddings"
BATCH = 32
"""Texts in a request: servers limit their sum."""


class OpenAiEmbeddingOptions(BaseModel):
    """Which server and model."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    model: str = "text-embedding-3-small"
    base_url: HttpAddress = "https://api.openai.com/v1"
    """The part of the address before `/embeddings`."""
    api_key_env: KeyVariable = USUAL
    """The environment variable that holds the key; empty: no key is sent."""
    timeout: Annotated[float, Field(gt=0)] = 60.0
    """Seconds that a request may take."""
    extra: Annotated[
        FrozenDict[str, Json], AfterValidator(refuse_fields("api_key", "model", "input", "encoding_format"))
    ] = FrozenDict()
    """More fields of each request, such as `dimensions`."""


class OpenAiEmbedding:
    """Asks over kept connections, up to 32 texts in one request."""

    Options = OpenAiEmbeddingOptions

    def __init__(self, options: OpenAiEmbeddingOptions) -> None:
        self.options = options
        self._extra = thaw(options.extra)
        self._client: JsonClient | None = None

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        client = self._opened()
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return tuple(vector for batch in batches for vector in self._vectors(client, batch))

    def _vectors(self, client: JsonClient, texts: tuple[str, ...]) -> list[tuple[float, ...]]:
        fields = {**self._extra, "model": self.options.model, "input": list(texts)}
        try:
            data = client.post(PATH, fields, timeout=self.options.timeout)
        except LlmRefused as err:
            raise LlmUnavailable(str(err)) from None
        try:
            rows = sorted(data["data"], key=lambda row: row["index"])
            vectors = [tuple(float(each) for each in row["embedding"]) for row in rows]
        except (KeyError, TypeError, ValueError, OverflowError):
            raise LlmRetryable(one_line(f"{client.base_url}{PATH}: the answer holds no vectors: {data}")) from None
        if len(vectors) != len(texts):
            raise LlmRetryable(f"{client.base_url}{PATH}: {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    def _opened(self) -> JsonClient:
        if self._client is None:
            from evograft_models.http.client import JsonClient

            options = self.options
            self._client = JsonClient(options.base_url, key=find_key_for(options.api_key_env, options.base_url))
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
