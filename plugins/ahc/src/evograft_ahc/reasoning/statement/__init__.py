"""What a contest asks for, as data: read out of its statement by a model, or without one by rules."""
