"""Islands of elites with ring migration, and a MAP-Elites archive: who the next trial's parents are."""
