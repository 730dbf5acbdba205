"""C++ as a syntax tree."""
