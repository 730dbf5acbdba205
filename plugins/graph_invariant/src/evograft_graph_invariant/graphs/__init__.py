"""Graphs: how they are drawn, kept and described by columns, and what candidates may use of them."""
