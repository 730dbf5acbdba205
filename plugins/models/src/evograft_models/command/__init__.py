"""Models behind a command: a program that is given a prompt and prints an answer, such as a coding agent's."""
