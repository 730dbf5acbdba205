"""What a command of a plugin is built with: lazy groups, output, signals, other commands."""
