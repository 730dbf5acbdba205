"""The analysis of a repository: what its files say about the environment that it needs."""
