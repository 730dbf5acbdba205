"""Files of a code base that nobody trusts: nothing outside its root is read, and no secrets."""
