"""Playbooks as text, to be read, kept and given away."""
