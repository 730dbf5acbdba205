"""A judge of novelty that asks a model for vectors."""

from __future__ import annotations

import math
import operator
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from evograft.errors import ServiceError
from evograft_hookspecs import Candidate, LlmRetryable, LlmUnavailable
from evograft_hookspecs.drivers.embedding import EmbeddingDriver

if TYPE_CHECKING:
    from tenacity import RetryCallState

Vector: TypeAlias = "array[float]"


class EmbeddingJudge:
    """A judge of how near candidates lie to one another. It fails rather than take what it could not judge for new.

    Args:
        driver: makes the vectors.
        cached: how many candidates' vectors are kept, the last used ones.
        tries: how often the driver is asked before it counts as down.
        patience: the longest pause between two tries, in seconds.
        sleep: makes the pauses; it may raise to end them, which ends the judgement.
    """

    def __init__(
        self,
        driver: EmbeddingDriver,
        *,
        cached: int = 1000,
        tries: int = 4,
        patience: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._driver = driver
        self._cached = cached
        self._tries = tries
        self._patience = patience
        self._sleep = sleep
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def likeness(self, candidate: Candidate, others: Sequence[Candidate]) -> tuple[float, ...]:
        """Return the cosine of the candidate's vector with each of the others', from -1 to 1.

        Candidates without any text are alike, and unlike all others; they are not sent to the driver.

        Raises:
            ServiceError: the driver can't work, stays down, or answers nonsense.
        """
        with self._lock:
            vectors = self._find((candidate, *others))
        own = vectors[candidate.id]
        return tuple(_cosine(own, vectors[other.id]) for other in others)

    def close(self) -> None:
        self._driver.close()

    def _find(self, candidates: Sequence[Candidate]) -> dict[str, Vector]:
        texts = {candidate.id: _text(candidate) for candidate in candidates}
        found = {key: self._vectors[key] for key in texts if key in self._vectors}
        found |= {key: array("d") for key, text in texts.items() if not text}
        missing = [key for key in texts if key not in found]
        if missing:
            found |= zip(missing, self._ask(tuple(texts[key] for key in missing)), strict=True)
        self._keep(found)
        return found

    def _keep(self, found: dict[str, Vector]) -> None:
        for key, vector in found.items():
            self._vectors[key] = vector
            self._vectors.move_to_end(key)
        while len(self._vectors) > self._cached:
            self._vectors.popitem(last=False)

    def _ask(self, texts: tuple[str, ...]) -> list[Vector]:
        answer = self._embed(texts)
        if len(answer) != len(texts):
            raise ServiceError(f"embedding: {len(texts)} texts were sent and {len(answer)} vectors came back")
        units = [_unit(vector) for vector in answer]
        lengths = {len(unit) for unit in (*units, *self._vectors.values()) if unit}
        if len(lengths) > 1:
            raise ServiceError(f"embedding: vectors of different lengths came back: {sorted(lengths)}")
        return units

    def _embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

        retrying = Retrying(
            retry=retry_if_exception_type(LlmRetryable),
            stop=stop_after_attempt(self._tries),
            wait=self._pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(self._driver.embed, texts)
        except LlmRetryable as err:
            raise ServiceError(f"embedding: no answer after {self._tries} tries, the last said: {err}") from err
        except LlmUnavailable as err:
            raise ServiceError(f"embedding: {err}") from err

    def _pause(self, state: RetryCallState) -> float:
        from tenacity import wait_exponential_jitter

        failure = state.outcome.exception() if state.outcome else None
        asked = failure.retry_after if isinstance(failure, LlmRetryable) else None
        pause = wait_exponential_jitter()(state) if asked is None else asked
        return min(pause, self._patience)


def _text(candidate: Candidate) -> str:
    files = {path: text for path, text in sorted(candidate.files.items()) if text.strip()}
    if len(files) == 1:
        return next(iter(files.values()))
    return "\n\n".join(f"{path}\n{text}" for path, text in files.items())


def _unit(vector: Sequence[float]) -> Vector:
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise ServiceError(f"embedding: a vector without a direction came back (length {length})")
    return array("d", (component / length for component in vector))


def _cosine(a: Vector, b: Vector) -> float:
    if not a or not b:
        return float(len(a) == len(b))
    cosine: float = sum(map(operator.mul, a, b))
    return max(-1.0, min(1.0, cosine))
