"""The way from a hook that asks a model to the driver that does: the log, money, retries, and whose turn it is."""
