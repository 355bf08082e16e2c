"""`python -m website` with `build`, `reference` or `changelog`."""

from __future__ import annotations

import sys

from website.build import SITE, BuildFailedError, build
from website.changelog import collect
from website.reference import write_all


def main() -> None:
    """Run one of the commands."""
    match sys.argv[1:]:
        case ["build"]:
            try:
                chunks = build()
            except BuildFailedError as error:
                sys.exit(str(error))
            print(f"{SITE / 'index.html'}: the search holds {chunks} chunks")
        case ["reference"]:
            for path in write_all():
                print(f"wrote {path}")
        case ["changelog"]:
            print(f"moved {collect()} entries to CHANGELOG.md")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
