"""Where vectors of programs come from."""
