"""What kind of failure a command met, told by what it printed: whether to wait, to ask for other commands, or to give up."""

from __future__ import annotations

from evograft_env_setup.failures.amendments import amend, load_amendments
from evograft_env_setup.failures.classify import classify
from evograft_env_setup.failures.failure import ErrorClass, Failure
from evograft_env_setup.failures.inquiry import inquire

__all__ = ["ErrorClass", "Failure", "amend", "classify", "inquire", "load_amendments"]
