"""What evaluators answer, of every style, as evaluations."""
