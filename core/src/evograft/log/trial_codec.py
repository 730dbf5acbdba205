"""Trials as rows of the store. Long texts lie next to the rows as artifacts, equal ones once."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

from evograft.log.attribution import Attribution
from evograft.log.contract_1 import upgrade_trial
from evograft.log.records import Finished, Prints
from evograft.text.masking import Keys
from evograft_hookspecs import Candidate, Evaluation, Trial
from evograft_hookspecs.drivers.store import Row, Store

INLINE = 4096
"""Longer texts of candidates are kept as artifacts, so that equal ones are stored once and rows stay small."""

_MEASURED = ("seconds", "cost", "elapsed", "at")


class TrialCodec:
    """Writes trials and their artifacts, and reads them back.

    Args:
        store: keeps the artifacts.
        keys: are kept nowhere.
        attribution: by the answers that stand in the log, for trials of earlier versions, whose rows name no model.
    """

    def __init__(self, store: Store, keys: Keys, attribution: Attribution) -> None:
        self._store = store
        self._keys = keys
        self._attribution = attribution

    def encode(self, finished: Finished) -> str:
        """Return the body of a trial's row; its long texts are in the store then."""
        trial = finished.trial
        artifacts = [self._put_long_files(candidate) for candidate in _candidates(trial)]
        first = {
            "artifacts": artifacts if any(artifacts) else [],
            "sketch": finished.prints.sketch,
            "fingerprint": finished.prints.fingerprint,
            "score": trial.score,
            "model": trial.model,
            "seconds": finished.seconds,
            "cost": finished.cost,
            "durations": dict(finished.durations),
            "elapsed": round(finished.elapsed, 3),
            "at": round(finished.at, 3),
        }
        if any(artifacts):
            trial = _with_files(trial, [dict.fromkeys(digests, "") for digests in artifacts])
        return f"{json.dumps(first)}\n{trial.model_dump_json(exclude_defaults=True, exclude={'model'})}"

    def decode(self, row: Row) -> Finished:
        """Return the trial in a row, with its long texts."""
        line, _, rest = row.body.partition("\n")
        first, trial = json.loads(line), Trial.model_validate_json(upgrade_trial(rest))
        if first["artifacts"]:
            texts = [
                {path: self._store.get_artifact(digest) for path, digest in digests.items()}
                for digests in first["artifacts"]
            ]
            trial = _with_files(trial, texts)
        model = first["model"] if "model" in first else self._attribution.model_of(trial)
        if model:
            trial = trial.model_copy(update={"model": model})
        prints = Prints(first.get("sketch", ""), first["fingerprint"])
        measured = {name: first[name] for name in _MEASURED}
        return Finished(trial, prints, **measured, durations=first.get("durations", {}))

    def put_kept(self, evaluation: Evaluation) -> Evaluation:
        """Move what an evaluation keeps into an artifact, if it holds no key: a key is kept nowhere."""
        kept = evaluation.kept
        if not kept:
            return evaluation
        has_key = self._keys.found_in(kept.decode("utf-8", "replace"))
        digest = "" if has_key else self._store.put_artifact(b64encode(kept).decode())
        return evaluation.model_copy(update={"kept": b"", "kept_digest": digest})

    def get_kept(self, evaluation: Evaluation) -> bytes:
        """Return what an evaluation has kept; empty: nothing.

        Raises:
            LogDamaged: it is lost.
        """
        digest = evaluation.kept_digest
        return b64decode(self._store.get_artifact(digest)) if digest else b""

    def has_masked_files(self, trial: Trial) -> bool:
        """Return whether a key is in a file that is too long for the row."""
        files = (candidate.files for candidate in _candidates(trial) if candidate)
        return any(self._keys.found_in(text) for each in files for text in each.values() if len(text) > INLINE)

    def _put_long_files(self, candidate: Candidate | None) -> dict[str, str]:
        """Keep the files of a candidate that are too long for a row, and return by path the hash of each."""
        files = candidate.files if candidate else {}
        return {
            path: self._store.put_artifact(self._keys.masked(text))
            for path, text in files.items()
            if len(text) > INLINE
        }


def _candidates(trial: Trial) -> tuple[Candidate | None, ...]:
    """Return the candidate of the trial, then those of its attempts."""
    return trial.candidate, *(attempt.candidate for attempt in trial.attempts)


def _with_files(trial: Trial, texts: list[dict[str, str]]) -> Trial:
    """Return the trial with other texts of files, for each of its candidates."""
    first, *others = (
        _with_texts(candidate, changed) for candidate, changed in zip(_candidates(trial), texts, strict=True)
    )
    attempts = tuple(
        attempt.model_copy(update={"candidate": candidate})
        for attempt, candidate in zip(trial.attempts, others, strict=True)
    )
    return trial.model_copy(update={"candidate": first, "attempts": attempts})


def _with_texts(candidate: Candidate | None, texts: dict[str, str]) -> Candidate | None:
    if not texts:
        return candidate
    if candidate is None:
        raise ValueError("a trial has artifacts but no candidate")
    files = type(candidate.files)({**candidate.files, **texts})
    return candidate.model_copy(update={"files": files})
