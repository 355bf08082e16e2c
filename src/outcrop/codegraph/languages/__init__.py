"""The languages that are read, one folder each.

A folder with a module that defines `LANGUAGE` is a language; there is no list to
keep, so adding one touches that folder alone.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

from outcrop.errors import UnknownLanguageError

if TYPE_CHECKING:
    from outcrop.codegraph.language import Language


@cache
def languages() -> dict[str, Language]:
    """Return all languages by name, grammars not yet loaded."""
    found = {}
    for module in iter_modules(__path__):
        if module.ispkg:
            folder = import_module(f"{__name__}.{module.name}")
            language = cast("Language", folder.LANGUAGE)
            found[language.name] = language
    return dict(sorted(found.items()))


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
    """Return a language by its name; its folder alone is imported.

    Raises:
        UnknownLanguageError: There is no such language.
    """
    if name.isidentifier():
        try:
            found = cast("Language", import_module(f"{__name__}.{name}").LANGUAGE)
        except ModuleNotFoundError:
            pass
        else:
            return found
    if name not in languages():
        known = ", ".join(languages())
        raise UnknownLanguageError(f"no language is called {name!r}; there are {known}")
    return languages()[name]
