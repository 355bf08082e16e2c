"""Text at its lowest: lines, boundaries, tokens and words."""
