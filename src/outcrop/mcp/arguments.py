"""Arguments that several tools have."""

from typing import Annotated

from pydantic import Field

# The database takes seconds to read a pattern of a thousand stars.
_LONGEST_GLOB = 300
_MOST_GLOBS = 20

_Glob = Annotated[str, Field(max_length=_LONGEST_GLOB)]

PathGlobs = Annotated[
    _Glob | Annotated[list[_Glob], Field(max_length=_MOST_GLOBS)] | None,
    Field(description="Patterns of paths, as in `docs/**/*.md`"),
]
