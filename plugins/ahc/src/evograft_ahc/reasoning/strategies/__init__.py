"""Ways to go at a problem, each with the library blocks and past contests that speak for it."""
