"""Keeps what was learned, and answers with it."""
