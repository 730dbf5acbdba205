"""Styles of evaluators, recognised without importing anything, and what evaluators need to be imported."""
