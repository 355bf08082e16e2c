"""PostgreSQL: embedded or remote, the schema, and what is read and written."""
