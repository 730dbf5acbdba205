"""What evaluators import of ShinkaEvolve."""
