"""Tools with which a model reads a code base."""
