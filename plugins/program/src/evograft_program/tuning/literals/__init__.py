"""Numeric literals of programs in any language: how they are written, where they stand, which somebody chose."""
