"""Learning: deltas, their curator, those who propose them, and the evidence that an evolution gives of bullets."""
