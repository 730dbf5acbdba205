"""Sessions: a run's folder and settings made into a kernel with everything it needs."""
