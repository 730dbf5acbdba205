"""What searches remember: islands and archives of elites."""
