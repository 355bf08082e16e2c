"""The languages that are read, and the module that declares each of them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from outcrop.errors import UnknownLanguageError

if TYPE_CHECKING:
    from outcrop.codegraph.language import Language

_MODULES = {
    "bash": "structural",
    "c": "structural",
    "c-sharp": "csharp",
    "cpp": "structural",
    "go": "go",
    "java": "java",
    "javascript": "javascript",
    "kotlin": "kotlin",
    "lua": "structural",
    "php": "structural",
    "python": "python",
    "ruby": "structural",
    "rust": "rust",
    "scala": "structural",
    "swift": "structural",
    "tsx": "javascript",
    "typescript": "javascript",
}
"""Name of a language -> module in this package whose `LANGUAGES` holds it."""


@cache
def languages() -> dict[str, Language]:
    """Return all languages by name, grammars not yet loaded."""
    return {name: language(name) for name in _MODULES}


@cache
def extensions() -> dict[str, str]:
    """Return the language of each file name extension."""
    return {
        extension: language.name
        for language in languages().values()
        for extension in language.extensions
    }


def language_of(path: str) -> str | None:
    """Return the name of the language a file is in, judged by its extension."""
    dot = path.rfind(".")
    return None if dot < 0 else extensions().get(path[dot:].lower())


@cache
def language(name: str) -> Language:
    """Return a language by its name; its module alone is imported.

    Raises:
        UnknownLanguageError: There is no such language.
    """
    if name not in _MODULES:
        known = ", ".join(_MODULES)
        raise UnknownLanguageError(f"unknown language {name!r}; choose one of: {known}")
    declared: tuple[Language, ...]
    declared = import_module(f"{__name__}.{_MODULES[name]}").LANGUAGES
    return next(one for one in declared if one.name == name)
