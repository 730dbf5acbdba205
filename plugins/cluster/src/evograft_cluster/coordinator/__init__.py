"""The run's side: drivers that send evaluations out, and settle what comes back."""
