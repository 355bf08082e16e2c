"""Chunks, vectors and metadata of an index, written into the stores of others."""
