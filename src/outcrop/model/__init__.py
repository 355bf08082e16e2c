"""Values that every layer shares: chunks, sections, nodes, edges and hits."""
