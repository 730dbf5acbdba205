"""Errors of the sandbox itself; a candidate's failures are results, never exceptions."""

from __future__ import annotations


class SandboxFailed(RuntimeError):  # noqa: N818 - it says what happened, like the contract's exceptions
    """The sandbox cannot work here, or its loader raised: the plugin or the machine is at fault, no candidate."""
