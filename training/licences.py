"""Which packages and files may be learned from: those under a permissive licence."""

from __future__ import annotations

import json
import re
from email import message_from_string
from fnmatch import translate
from typing import NamedTuple

_PERMISSIVE = re.compile(
    r"(?:the )?(?:mit|expat|x11|isc|zlib(?:/libpng)?|0?bsd(?:[- ][\w.-]+)?"
    r"|(?:mit|bsd|isc|apache(?: software| 2(?:\.0)?)?|zope public|python software foundation)"
    r" licen[cs]e(?:,? v?(?:ersion )?2(?:\.[01])?)?"
    r"|apache[- ]?v?(?:2(?:\.0)?)?|psf(?:-[\d.]+)?|python(?:-[\d.]+)?|unlicense"
    r"|cc0(?:-1\.0)?|public-domain|bsl-1\.0|boost(?:-1\.0)?|postgresql(?: licen[cs]e)?"
    r"|ruby|wtfpl|hpnd|curl|ncsa|blueoak-1\.0\.0|cc-by-[34]\.0|artistic-2\.0|upl-1\.0"
    r"|mit-0|zpl[- ]2\.1|unicode(?:-3\.0)?|wordnet)",
    re.IGNORECASE,
)
_STANZA = re.compile(r"\n\s*\n")
_FIELD = re.compile(
    r"^(files|license):[ \t]*((?:.*)(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE
)
_ALTERNATIVE = re.compile(r"\s+or\s+|\s*\|\s*", re.IGNORECASE)
_BOTH = re.compile(r"\s+and\s+|\s*,\s*", re.IGNORECASE)
_CLASSIFIER = "License :: OSI Approved :: "


class Stanza(NamedTuple):
    """What a copyright file of Debian says about some files."""

    files: re.Pattern[str]
    licence: str


def is_permissive(declared: str) -> bool:
    """Return whether a licence expression allows use without copyleft.

    Of alternatives one has to be permissive, of what applies together all.
    """
    return any(
        all(_PERMISSIVE.fullmatch(part.strip(" ()")) for part in _BOTH.split(choice))
        for choice in _ALTERNATIVE.split(declared)
        if choice.strip()
    )


def read_copyright(text: str) -> list[Stanza]:
    """Return the stanzas of a machine-readable copyright file; none where it is not.

    The packaging itself (`debian/*`) is left out: nothing of it is read.
    """
    found = []
    for stanza in _STANZA.split(text):
        fields = {key.lower(): value.strip() for key, value in _FIELD.findall(stanza)}
        patterns = fields.get("files", "").replace(",", " ").split()
        if not patterns or patterns[0].startswith("debian/"):
            continue
        licence = fields.get("license", "unknown").partition("\n")[0].strip()
        files = re.compile("|".join(map(translate, patterns)))
        found.append(Stanza(files, licence))
    return found


def licence_of(path: str, stanzas: list[Stanza]) -> str:
    """Return the licence of a file: the last stanza that names it decides."""
    for stanza in reversed(stanzas):
        if stanza.files.match(path):
            return stanza.licence
    return "unknown"


def licence_of_distribution(metadata: str) -> str:
    """Return the licence in the metadata of a Python distribution."""
    fields = message_from_string(metadata)
    declared = fields.get("License-Expression") or fields.get("License") or ""
    if is_permissive(declared):
        return declared
    for classifier in fields.get_all("Classifier") or []:
        if classifier.startswith(_CLASSIFIER):
            return classifier.removeprefix(_CLASSIFIER)
    return declared.partition("\n")[0][:80] or "unknown"


def licence_of_npm_package(manifest: bytes) -> str:
    """Return the licence in a package.json."""
    declared = json.loads(manifest).get("license", "unknown")
    return declared if isinstance(declared, str) else declared.get("type", "unknown")
