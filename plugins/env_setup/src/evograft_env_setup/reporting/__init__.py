"""Reports of a set-up's progress: to a terminal, a file, an issue or merge request."""
