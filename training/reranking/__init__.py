"""Training of the local reranker of code."""
