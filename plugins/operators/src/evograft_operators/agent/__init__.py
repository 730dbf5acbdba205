"""The operator `agent`: a model works on a copy of a program with tools, before it hands it in."""
