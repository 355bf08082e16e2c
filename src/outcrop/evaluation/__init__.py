"""How well an index answers questions whose answers are known."""
