"""The plugin: what was learned before, in an evolution."""

from __future__ import annotations

from typing import ClassVar

from evograft_hookspecs import CONTRACT, Manifest, NoOptions


class PlaybookPlugin:
    """Keeps what runs teach."""

    manifest: ClassVar = Manifest(
        name="playbook",
        description="The playbook: keeps what was learned, searches it, and answers with it.",
        contract=CONTRACT,
        thread_safe=True,
    )
    Options: ClassVar = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options
