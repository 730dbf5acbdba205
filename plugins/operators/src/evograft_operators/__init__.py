"""Operators that make candidates: edits of expression trees without a model, and prompts to models."""
