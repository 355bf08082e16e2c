"""From Markdown to chunks: strategies, stages, and what holds them together."""
