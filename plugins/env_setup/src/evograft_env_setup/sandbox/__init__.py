"""The places in which commands of a set-up run, and their common interface."""

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
