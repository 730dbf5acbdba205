"""Shared by drivers that speak HTTP: one deadline a call, a bounded answer, and what each fault means."""
