"""Recognising the translations of one page by their paths.

`docs/ru/setup.md`, `docs/setup.ru.md` and `docs/setup_ru.md` are translations of
`docs/setup.md`, and of `docs/en/setup.md`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_CODES = frozenset(
    re.findall(
        r"\w+",
        "ar az bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu hy id is it ja"
        " ka kk ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru sk sl sq sr sv"
        " sw ta te th tl tr uk ur uz vi yo zh",
    )
)
_TAG = re.compile(
    r"([a-z]{2})(?:[-_](?:[a-z]{2}|hans|hant|latn|cyrl|419))?", re.IGNORECASE
)
_FILE_NAME = re.compile(r"(.+?)[._-]([A-Za-z]{2}(?:[-_]\w{2,4})?)(\.\w+)")


class Page(NamedTuple):
    """A page in one of its languages.

    Attributes:
        key: The path without the language: equal for all translations.
        language: The language in the path, as `ru`; None if the path has none.
    """

    key: str
    language: str | None


@lru_cache(maxsize=20_000)
def page_of(path: str) -> Page:
    """Return which page the document at a path is, and in which language."""
    *folders, name = path.split("/")
    match = _FILE_NAME.fullmatch(name)
    if match is not None and (language := _language(match[2])) is not None:
        return Page("/".join([*folders, match[1] + match[3]]), language)
    for at, folder in enumerate(folders):
        if (language := _language(folder)) is not None:
            return Page("/".join([*folders[:at], *folders[at + 1 :], name]), language)
    return Page(path, None)


def _language(text: str) -> str | None:
    match = _TAG.fullmatch(text)
    code = match[1].lower() if match is not None else ""
    return code if code in _CODES else None
