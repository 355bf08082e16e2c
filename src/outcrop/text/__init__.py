"""Text processing: lines, boundaries, tokens and words."""
