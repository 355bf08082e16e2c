"""The tools, one file each: what a model may ask of an index."""
