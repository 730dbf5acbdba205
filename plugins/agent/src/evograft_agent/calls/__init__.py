"""Calls of tools: what a model asked for, and the arguments as a tool wants them."""
