"""Logs of runs in PostgreSQL, shared by several machines."""
