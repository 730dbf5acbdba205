"""The one exception a plugin raises on purpose."""

from __future__ import annotations


class CandidateRejected(Exception):  # noqa: N818 - it names a verdict, not a mistake
    """The candidate is at fault, not the plugin: raised in `mutate` or `evaluate`, it ends the trial as `rejected`.

    Any other exception counts as the plugin's own failure.

    Args:
        reason: one line that the next prompt may show to a model: what is wrong and what to do instead.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        # It often quotes a compiler or a candidate: whatever that is, the log must be able to hold it.
        self.reason = str(reason).encode("utf-8", "replace").decode() or "no reason given"
