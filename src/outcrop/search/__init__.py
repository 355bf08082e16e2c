"""Finding chunks again: by words, by meaning, by headings, and all of it together."""
