"""Sandboxes for commands: one small runner in C, and the containers and namespaces that it is put into."""
