"""From files to a searchable index, and the `Index` that people use."""
