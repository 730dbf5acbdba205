"""The llm drivers that come with the core."""
