"""Many runs as one: a matrix of settings, of problems and of seeds, worked on by several processes."""
