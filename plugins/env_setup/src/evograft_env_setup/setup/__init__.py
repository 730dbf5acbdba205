"""Setting an environment up: cloning, commands, retries, corrections, verification and the report."""
