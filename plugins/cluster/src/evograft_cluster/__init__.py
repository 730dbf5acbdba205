"""evograft beyond one machine: executors of clusters, and the worker's side of them."""
