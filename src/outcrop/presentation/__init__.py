"""Chunks, documents and symbols for people, in the same words on every surface."""
