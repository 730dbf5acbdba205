"""Texts of strangers, made harmless and bounded."""
