"""Operators that ask a model: prompts, answers, and what of an answer becomes a candidate."""
