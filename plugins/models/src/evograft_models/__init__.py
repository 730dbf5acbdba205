"""Drivers that ask models: language models, and models that embed texts."""
