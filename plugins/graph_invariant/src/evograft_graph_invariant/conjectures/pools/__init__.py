"""Graphs by the thousand: enumerations, families, files."""
