"""What evaluators import of other engines, for machines where these are not installed: the same names and results."""
