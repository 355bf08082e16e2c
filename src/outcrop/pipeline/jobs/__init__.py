"""Stages as jobs in the index's own database, for any number of workers.

A job is a stage and a batch of chunks. The remaining work is kept in one table, one row
per chunk (`ledger`); the queue only assigns it. A job that is lost, or done by
two workers, does no harm: the row decides, in the transaction that writes the result.
"""

from __future__ import annotations

from importlib.util import find_spec

from outcrop.errors import MissingExtraError

if find_spec("procrastinate") is None:
    raise MissingExtraError("a worker", "jobs")
