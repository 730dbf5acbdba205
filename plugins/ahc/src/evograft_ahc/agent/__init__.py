"""What an agent can do in a contest: compile a program, run it on training cases, and read library blocks."""
