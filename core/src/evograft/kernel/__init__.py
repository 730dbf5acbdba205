"""The kernel: trial after trial through the seven verbs."""
