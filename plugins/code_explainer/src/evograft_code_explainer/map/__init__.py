"""A map of a code base, so that a large one is explained with few reads."""
