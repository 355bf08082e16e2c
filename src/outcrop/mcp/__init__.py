"""The Model Context Protocol: an index as tools and resources for coding agents."""
