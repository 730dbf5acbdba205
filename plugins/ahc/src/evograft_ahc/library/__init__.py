"""The algorithm library: blocks of C++, each with its description."""
