"""Readers of manifests, one a format: each turns a text into a `ProjectManifest` or raises `UnreadableManifest`."""
