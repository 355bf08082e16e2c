"""The page: four views of an index, rendered on the server."""
