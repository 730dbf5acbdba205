"""The exceptions that a plugin raises on purpose."""

from __future__ import annotations


class CandidateRejected(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """The candidate is at fault, not the plugin: raised in `mutate` or `evaluate`, it ends the trial as `rejected`.

    Any other exception counts as the plugin's own failure.

    Args:
        reason: one line that the next prompt may show to a model: what is wrong and what to do instead.
        draft: the text that holds no valid candidate, such as a model's answer, for the operator that repairs it.
    """

    def __init__(self, reason: str, *, draft: str = "") -> None:
        super().__init__(reason)
        # It often quotes a compiler or a candidate: whatever that is, the log must be able to hold it.
        self.reason = _storable(reason) or "no reason given"
        self.draft = _storable(draft)


class StartRefused(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """The user's input is at fault, not the plugin: the run does not start, with exit code 2.

    Raised in `setup_env` or `analyze`, or in `observe` when it is told of a `ProblemAnalyzed` that is not replayed.

    Args:
        reason: one line: what is wrong, where (file and line), and what to do instead.
    """


def _storable(text: str) -> str:
    return str(text).encode("utf-8", "replace").decode()
