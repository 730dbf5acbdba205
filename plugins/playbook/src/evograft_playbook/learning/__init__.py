"""What is learned: deltas, who checks and carries them out, who proposes them, and what an evolution shows of bullets."""
