"""What is done about islands that run dry: constrained generation, and another model now and then."""
