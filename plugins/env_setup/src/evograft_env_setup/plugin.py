"""The plugin: environments for repositories."""

from __future__ import annotations

from typing import ClassVar

from evograft_env_setup.options import EnvSetupOptions
from evograft_hookspecs import CONTRACT, Manifest


class EnvSetupPlugin:
    """Sets up what a repository needs before anything runs in it."""

    manifest: ClassVar = Manifest(
        name="env_setup",
        description="Environment setup: finds out what a repository needs, builds it, verifies it exactly.",
        contract=CONTRACT,
        thread_safe=True,
    )
    Options: ClassVar = EnvSetupOptions

    def __init__(self, options: EnvSetupOptions) -> None:
        self.options = options
