"""Settings: pipelines, and what a user keeps for all of them."""
