"""The plan of a batch: its file, the matrix of settings, and the names of its runs."""
