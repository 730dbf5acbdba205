"""What a batch consists of: its file, the matrix of settings, and the names of its runs."""
