"""What the files of a repository say about the environment that it needs."""
