"""Set-ups in bubblewrap, where no container engine answers."""
