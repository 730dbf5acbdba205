"""Who is told how a set-up goes: a terminal, a file, an issue or merge request."""
