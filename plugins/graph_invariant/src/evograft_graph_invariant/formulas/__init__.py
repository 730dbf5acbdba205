"""Formulas: candidates parsed, brought into one expression, evaluated, bounded and simplified."""
