"""Environment setup: finds out what a repository needs to be built and tested, and sets it up."""
