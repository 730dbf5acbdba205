"""Questions about a code base: what a model is asked, the session, citations, and the result."""
