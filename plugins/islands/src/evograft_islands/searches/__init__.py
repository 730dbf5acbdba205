"""Ways to choose parents, each a fold over the committed trials."""
