"""An installation without what an index needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import outcrop

# Without the site's packages there are no extras at all.
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from outcrop.errors import MissingExtraError
try:
    import outcrop.indexing
except MissingExtraError as error:
    print(error)
"""


def test_all_missing_extras_are_named_at_once():
    source = str(Path(outcrop.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SCRIPT, source],
        capture_output=True,
        text=True,
        check=True,
    )
    install = "pip install 'outcrop[store,tokens,embed]'"
    assert done.stdout == f"an index needs an extra: {install}\n"
