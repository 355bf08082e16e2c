"""Where the text of a file is cut: tiles, and pieces of those over the limit."""
