"""Edits of formulas without a model."""
