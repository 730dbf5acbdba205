"""Known theorems, and what follows from them."""
