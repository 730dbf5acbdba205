"""Bounds: their terms, how they are fitted, and which of them are kept."""
