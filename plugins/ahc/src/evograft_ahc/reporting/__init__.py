"""Pictures of a run: what the report of an AHC run shows beside what it shows of any run."""
