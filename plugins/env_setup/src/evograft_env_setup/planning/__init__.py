"""The phases before anything is built: what a repository needs, and the plan of its set-up."""
