"""The search for counterexamples."""
