"""Search: finds the bullets that fit a question, by their words, and by their meaning if there are embeddings."""
