"""What evaluators import of GEPA."""
