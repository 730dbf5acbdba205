"""The charts of the page; each is `None` where it would show nothing."""
