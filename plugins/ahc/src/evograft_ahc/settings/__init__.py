"""The user's settings: their model, and the files that hold them."""
