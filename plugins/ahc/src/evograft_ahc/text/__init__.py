"""Messages in two languages, templates with placeholders, and what is wrong with a user's data."""
