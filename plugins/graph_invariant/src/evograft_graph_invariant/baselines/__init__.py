"""What a candidate has to beat: other methods with the same columns and the same graphs."""
