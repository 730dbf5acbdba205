"""Pictures of a run: what the report of an AHC run shows next to what it shows of any run."""
