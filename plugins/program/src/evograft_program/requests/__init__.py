"""Requests to evolve something: from what a user gave to the pipeline of a run."""
