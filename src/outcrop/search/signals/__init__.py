"""What ranking knows besides words and vectors: one signal a file, one table."""
