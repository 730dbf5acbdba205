"""Conjectures as an ordinary evolution: candidates are inequalities, of the kind `inequality`."""
