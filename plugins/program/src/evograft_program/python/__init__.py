"""Evolution from Python: programs and evaluators that are given as paths, texts and functions."""
