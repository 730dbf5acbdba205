"""The store drivers that come with the core."""
