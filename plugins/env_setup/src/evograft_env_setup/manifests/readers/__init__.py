"""Readers of manifests, one a format: each turns a text into a `Manifest` or raises `Unreadable`."""
