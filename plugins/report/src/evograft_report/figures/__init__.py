"""What a report says: figures folded from a log, one module for each part of the page."""
