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
        self.reason = reason
