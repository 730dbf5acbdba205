"""The summary of an experiment: its fields, how they are computed, and how files of any age are read."""
