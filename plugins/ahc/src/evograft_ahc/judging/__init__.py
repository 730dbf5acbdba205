"""Compiling and running C++ programs over the cases of a contest, and what came of it."""
