"""Sandboxes: commands in containers, namespaces or processes, and Python functions called on a data set."""
