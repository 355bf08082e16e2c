"""Markdown and plain text: from a file to the stored chunks of a document."""
