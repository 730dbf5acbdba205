"""Finds the bullets that fit a question: by their words, and by their meaning where embeddings are at hand."""
