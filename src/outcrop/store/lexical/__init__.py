"""Exact BM25 in plain PostgreSQL: weights, writing, pruning and ranking."""
