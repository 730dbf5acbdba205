"""Where the commands of a set-up run: what such a place has to offer."""

from evograft_env_setup.workshop.workshop import CommandOutcome, Workshop, WorkshopUnavailable

__all__ = ["CommandOutcome", "Workshop", "WorkshopUnavailable"]
