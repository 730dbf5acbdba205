"""Programming languages: which files are in which, where their definitions are, and what they import."""
