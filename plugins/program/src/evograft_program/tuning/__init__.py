"""Numbers of a program that may be others: found, varied without a model, and written back where they stood."""
