"""The phases of the research: an experiment's file becomes an ordinary pipeline, which the ordinary engine runs."""
