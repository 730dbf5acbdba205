"""What every program has scored on every case: tests, sessions, imported runs."""
