"""Texts: what is shown of strangers' texts, secrets masked, two languages, byte order marks."""
