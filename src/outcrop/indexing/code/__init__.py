"""Code: from files to a stored graph, plans and chunks."""
