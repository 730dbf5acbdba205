"""The records of an experiment for people and programs: exports of the run's log, which alone is the truth."""
