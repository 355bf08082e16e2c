"""Indexing as a dataflow of Daft: in this process, or on a Ray cluster.

The driver finds the files, compares what the tasks read with the store, and cleans up.
Tasks read, chunk, embed and write whole documents, each in a worker process of its own
with its own connections. A task that is run twice stores the same rows.
"""
