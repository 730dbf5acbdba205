"""Charts of a report, one module each."""
