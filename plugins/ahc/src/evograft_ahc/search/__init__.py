"""Operators that need no model, and the programs that a search begins with."""
