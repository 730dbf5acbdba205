"""The treatment of stagnant islands: constrained generation, and occasionally another model."""
