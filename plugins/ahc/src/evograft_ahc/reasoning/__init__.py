"""Reasoning about a contest: its statement, strategies, and the prompts made of both."""
