"""One server for all tests of a process; others where settings differ."""

from integration.http.served import client, harbour, harbour_index, locked, served

__all__ = ["client", "harbour", "harbour_index", "locked", "served"]
