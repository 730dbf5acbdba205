"""Files of a repository that say what it needs, and their readers."""
