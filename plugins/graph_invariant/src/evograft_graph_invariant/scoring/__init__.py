"""Scores: correlation with the target, likeness to known invariants, simplicity, and the objective made of them."""
