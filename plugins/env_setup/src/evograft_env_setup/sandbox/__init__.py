"""Where the commands of a set-up run: what such a place has to offer, and those that there are."""

from evograft_env_setup.sandbox.setup_sandbox import (
    TIMED_OUT,
    CommandOutcome,
    EnvironmentSnapshot,
    ReopenableSandbox,
    SetupSandbox,
    SetupSandboxUnavailable,
)

__all__ = [
    "TIMED_OUT",
    "CommandOutcome",
    "EnvironmentSnapshot",
    "ReopenableSandbox",
    "SetupSandbox",
    "SetupSandboxUnavailable",
]
