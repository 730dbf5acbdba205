"""Contests: their tasks, what is known of past ones, and those to practise on."""
