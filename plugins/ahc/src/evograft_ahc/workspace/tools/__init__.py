"""A contest's own programs: unpacked, built, recognised, and run where they can do no harm."""
