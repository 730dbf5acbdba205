"""Numbers of a program that may be others: found, varied, and written back where they stood."""
