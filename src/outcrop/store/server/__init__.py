"""The embedded PostgreSQL server of a project."""
