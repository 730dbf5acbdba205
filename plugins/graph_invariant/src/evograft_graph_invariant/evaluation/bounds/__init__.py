"""The other question: not what orders graphs as the target does, but what is never below it, or never above."""
