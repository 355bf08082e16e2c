"""A chunked document as pages show it: of the command line and of the server."""
