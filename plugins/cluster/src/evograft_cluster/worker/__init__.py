"""The worker's side: what a process on another machine does for a run."""
