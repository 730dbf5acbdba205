"""`evo explain`, whose parts are imported when they are needed."""
