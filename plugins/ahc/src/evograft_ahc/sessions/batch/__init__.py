"""Batches of sessions: their file, and the sessions that it stands for."""
