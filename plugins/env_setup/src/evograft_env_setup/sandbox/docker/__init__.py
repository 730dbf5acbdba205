"""Set-ups in a container."""
