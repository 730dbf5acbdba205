"""Content of a report: figures folded from a log, one module for each part of the page."""
