"""Helpers of ShinkaEvolve that evaluators import."""
