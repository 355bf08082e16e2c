"""Chunks, vectors and metadata of an index, written to other stores and to files."""
