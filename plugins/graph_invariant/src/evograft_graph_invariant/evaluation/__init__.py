"""Evaluation of candidates: during the search, and at the end on data that no choice depended on."""
