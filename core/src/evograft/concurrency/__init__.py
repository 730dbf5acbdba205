"""Threads and processes: calls with a deadline, locks that are shared."""
