"""Conversations with an agent: as data, in files, and as what a model is sent."""
