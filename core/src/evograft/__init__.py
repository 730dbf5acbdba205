"""LLM-driven program evolution."""
