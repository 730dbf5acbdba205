"""Folders of runs: opened, locked, read, asked for their status, sent messages."""
