"""Planning: which chunks the nodes of a code graph become.

The public names are imported from `outcrop`.
"""
