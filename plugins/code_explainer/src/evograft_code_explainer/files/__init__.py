"""Files of a code base that nobody trusts: nothing outside of its root is read, and no secrets."""
