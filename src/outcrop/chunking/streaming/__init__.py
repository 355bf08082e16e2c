"""Chunking of texts larger than memory, a window at a time."""
