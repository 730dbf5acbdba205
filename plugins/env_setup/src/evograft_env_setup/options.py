"""What a pipeline says about environment setup."""

from __future__ import annotations

from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Text


class EnvSetupOptions(NoOptions):
    """The options of the plugin `env_setup`."""

    root: Text = "."
    """The repository."""
