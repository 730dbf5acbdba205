"""Scores that can be trusted: repeats, races, confirmation, the evaluation of the end, and the check before it all."""
