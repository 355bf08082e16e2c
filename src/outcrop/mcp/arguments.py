"""Arguments that several tools have."""

from typing import Annotated

from pydantic import Field

# The database takes seconds to read a pattern of a thousand stars.
_MAX_GLOB_CHARS = 300
_MAX_GLOBS = 20

_Glob = Annotated[str, Field(max_length=_MAX_GLOB_CHARS)]

PathGlobs = Annotated[
    _Glob | Annotated[list[_Glob], Field(max_length=_MAX_GLOBS)] | None,
    Field(description="Glob patterns of paths, such as `docs/**/*.md`"),
]
