"""One evaluation of a candidate: a process in a session of the sandbox, and what it says about itself."""
