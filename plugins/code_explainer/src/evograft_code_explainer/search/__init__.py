"""Lines of files that a regular expression fits."""
