"""Tasks to begin with: each folder holds a program and an evaluator."""
