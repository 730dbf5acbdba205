"""The environments that there are, as data."""

from evograft_env_setup.environments.catalogue import DEFAULT, Environments
from evograft_env_setup.environments.environment import Environment, VerificationCommand

__all__ = ["DEFAULT", "Environment", "Environments", "VerificationCommand"]
