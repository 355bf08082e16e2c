"""Advisory locks of the lexical index, one set per schema."""

from __future__ import annotations

# Shared while weights are computed, exclusive while the average length that they are
# computed with changes.
SHARE_PIN = "SELECT pg_advisory_xact_lock_shared(1870, hashtext(current_schema()))"
CHANGE_PIN = "SELECT pg_advisory_xact_lock(1870, hashtext(current_schema()))"
# Held while deltas are merged into lex_df.
TRY_MERGE = "SELECT pg_try_advisory_xact_lock(1871, hashtext(current_schema()))"
MERGE = "SELECT pg_advisory_xact_lock(1871, hashtext(current_schema()))"
