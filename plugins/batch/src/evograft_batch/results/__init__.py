"""Results of the runs of a batch: rows, sums and tables."""
