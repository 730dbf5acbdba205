"""The log of a run: its records, and what is folded from them."""
