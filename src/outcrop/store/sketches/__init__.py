"""Sketches: the embeddings as a few bits each, which a search compares in memory."""
