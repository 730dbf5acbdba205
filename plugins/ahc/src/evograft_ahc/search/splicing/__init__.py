"""Functions of one program put into another."""
