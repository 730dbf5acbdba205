"""Conjectures for readers: a table, a page, and statements for other programs."""
