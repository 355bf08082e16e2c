"""Training of the local reranker."""
