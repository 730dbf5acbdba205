"""The runs of a batch at work: one process each, several at a time."""
