"""Web pages: the views of an index, rendered on the server."""
