"""Sessions: runs of the kernel in a workspace, from the settings that hold there."""
