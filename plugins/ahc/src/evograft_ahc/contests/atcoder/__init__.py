"""The contest site, visited politely: its pages and archives, and what may go wrong on the way."""
