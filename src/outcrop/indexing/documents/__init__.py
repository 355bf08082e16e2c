"""Documents: from a file, Markdown or a format in `formats`, to chunks and sections."""
