"""Formats of documents other than Markdown, one module each."""
