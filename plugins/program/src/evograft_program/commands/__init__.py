"""The commands `evo evolve` and `evo apply`. What does the work is imported when they are called."""
