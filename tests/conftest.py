"""What all tests share.

Property tests draw the same examples every time, so that a run tells whether a change
broke something. `make test-full` draws new ones: what it finds becomes a test.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.register_profile("searching", print_blob=True)
settings.load_profile(
    "searching" if os.environ.get("OUTCROP_NEW_EXAMPLES") else "steady"
)
