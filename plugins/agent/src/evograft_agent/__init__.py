"""Agents: models that use tools before they answer. Public: plugins may import from this package."""
