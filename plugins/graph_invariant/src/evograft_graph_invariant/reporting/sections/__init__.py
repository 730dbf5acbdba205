"""The parts of a chapter, each from a summary; what was not recorded is said, and nothing is made up."""
