"""A conversation with the user between trials."""
