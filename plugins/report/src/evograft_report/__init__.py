"""A run as one page: figures folded from its log, charts drawn from the figures, and the page or files around them."""
