"""Programs and evaluators of anybody's, for `evo evolve`."""
