"""The environments that there are, as data."""

from evograft_env_setup.environments.environment import Environment, VerificationCommand

__all__ = ["Environment", "VerificationCommand"]
