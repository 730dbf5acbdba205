"""The user's files, and locks on them."""
