"""What many cases make together: points per case, one score that is higher the better, and what to tell of it."""
