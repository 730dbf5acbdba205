"""What models are told of a contest: prompts, and the proposals and advice of each trial."""
