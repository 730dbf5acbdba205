"""Kinds of failures, known by what commands printed: whether to wait, to ask for other commands, or to give up."""

from __future__ import annotations

from evograft_env_setup.failures.amendments import amend, load_amendments
from evograft_env_setup.failures.classification import classify
from evograft_env_setup.failures.failure import CommandFailure, ErrorClass
from evograft_env_setup.failures.probes import probe

__all__ = ["CommandFailure", "ErrorClass", "amend", "classify", "load_amendments", "probe"]
