"""The tools that the plugin offers to models, one a file."""
