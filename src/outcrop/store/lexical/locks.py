"""Locks that writers of words and their maintenance take, one set a schema."""

from __future__ import annotations

# Held shared by whoever computes weights, exclusively by whoever changes the average
# length they are computed with.
SHARE_PIN = "SELECT pg_advisory_xact_lock_shared(1870, hashtext(current_schema()))"
CHANGE_PIN = "SELECT pg_advisory_xact_lock(1870, hashtext(current_schema()))"
# Held by whoever moves deltas into lex_df.
TRY_MERGE = "SELECT pg_try_advisory_xact_lock(1871, hashtext(current_schema()))"
MERGE = "SELECT pg_advisory_xact_lock(1871, hashtext(current_schema()))"
