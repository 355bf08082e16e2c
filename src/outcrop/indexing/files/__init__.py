"""Which files are indexed, and which of them have changed."""
