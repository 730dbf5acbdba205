"""The executor drivers that come with the core."""
