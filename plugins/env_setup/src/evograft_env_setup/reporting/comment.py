"""The comment about a set-up that has failed for good."""

from __future__ import annotations

from dataclasses import dataclass

from evograft.text.escapes import escape_controls
from evograft.text.i18n import Catalog
from evograft.text.masking import mask
from evograft_env_setup.text.quoting import bound, fence, shorten

PACKAGE = "evograft_env_setup"
LONGEST = 6_000
"""Characters of a message that are shown."""


@dataclass(frozen=True)
class FailureComment:
    """The contents of the comment."""

    environment_name: str
    error_message: str
    network_retry_count: int
    llm_regeneration_count: int
    error_classification: str

    def markdown(self, language: str) -> str:
        """Return the comment in one of the languages that there are."""
        words = Catalog(language, PACKAGE)
        shown = {
            **vars(self),
            "error_message": fence(shorten(escape_controls(mask(bound(self.error_message))), LONGEST)),
        }
        return words("failure_comment", **shown)
