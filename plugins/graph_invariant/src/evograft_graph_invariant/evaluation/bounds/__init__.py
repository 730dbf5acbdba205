"""Bounds: formulas that are never below the target, or never above, instead of ordering graphs as it does."""
