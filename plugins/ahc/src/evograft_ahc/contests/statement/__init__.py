"""Statements: from a page or a file to Markdown, and what Markdown tells about the task."""
