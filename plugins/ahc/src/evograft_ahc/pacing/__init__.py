"""Loops of a fixed number of steps that are made to run for as long as time allows."""
