"""Conjectures: inequalities between invariants, found in tables of graphs and attacked by searches."""
