"""Methods for comparison, which a candidate has to beat with the same columns and the same graphs."""
