"""The projects of a shared database: a PostgreSQL schema each, and a registry of them."""
