"""Invariants and properties of many graphs of one order at a time."""
