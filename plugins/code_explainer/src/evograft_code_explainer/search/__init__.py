"""Search for lines of files by a regular expression."""
