"""Chunked documents for people, in the same words on every surface."""
