"""Readers of programs: what is left of them without formatting, comments and the names of locals."""
