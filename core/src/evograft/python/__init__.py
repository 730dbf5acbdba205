"""Runs and studies in Python: what scripts and notebooks have in place of commands."""
