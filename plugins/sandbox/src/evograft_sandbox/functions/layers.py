"""The layers by name: what a sandbox can be told to use, importable on systems that have none of them."""

LAYERS = ("privileges", "reaper", "rlimits", "clock", "landlock", "seccomp")
"""In the order in which they are raised: a change of user undoes the reaper, seccomp forbids to raise any other."""
