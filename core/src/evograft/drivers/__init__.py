"""Services chosen by name, one file a driver."""
