"""Plugins: found by entry points, loaded, their hooks called, the context that hooks get."""
