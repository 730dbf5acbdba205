"""What stands between a hook that asks a model and the driver that does: the log, money, retries, and whose turn it is."""
