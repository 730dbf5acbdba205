"""Racing: a candidate that can't reach the incumbent any more is not run on the rest of the cases."""
