"""Reading source packages of Debian without unpacking or running them.

A source package holds code, documents, tests and changes of a project, as a repository
does, and states its licence in a form that a program can read.
"""

from __future__ import annotations

import re
import tarfile
from collections import defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from outcrop.indexing.files.kinds import CODE, GENERATED, is_minified, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILE_BYTES = 250_000
# Of documents and of code, each: a larger package would outweigh the others.
MAX_BYTES_PER_KIND = 700_000
_PERMISSIVE = re.compile(
    r"(?:mit|expat|x11|isc|zlib|0?bsd[\w.-]*|apache[\w.-]*|psf[\w.-]*|python[\w.-]*"
    r"|unlicense|cc0[\w.-]*|public-domain|bsl-1\.0|boost[\w.-]*|ruby|wtfpl|curl|zpl[\w.-]*"
    r"|postgresql|cc-by-[34]\.0|artistic-2\.0|mit-0|hpnd|unlimited|pd)",
    re.IGNORECASE,
)
_PERMISSIVE_WORDS = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software|Expat)\b", re.IGNORECASE
)
_MAIN_STANZA = re.compile(
    r"^Files:[ \t]*\*[ \t]*\n(?:.*\n)*?License:[ \t]*(.+)$",
    re.MULTILINE | re.IGNORECASE,
)
_SKIPPED = re.compile(
    r"(?:^|/)(?:\.git|\.github|debian|node_modules|locales?|i18n|po|vendor|dist|fixtures"
    r"|testdata|data)/|\.(?:json|ya?ml|xml|svg|css|scss|less|html?|toml|cfg|ini|lock|po)$"
    r"|(?:^|/)(?:LICEN[CS]E|COPYING|AUTHORS|requirements)[^/]*$"
)


class Package(NamedTuple):
    """The files of a package by path, without those that are not indexed."""

    name: str
    licence: str
    files: dict[str, str]


def read_package(folder: Path, name: str) -> Package | None:
    """Return a source package, or None if its licence is unknown or not permissive."""
    licence = _licence(folder, name)
    if licence is None:
        return None
    files: dict[str, str] = {}
    archives = [a for a in folder.glob(f"{name}_*.orig*.tar.*") if a.suffix != ".asc"]
    for archive in sorted(archives)[-1:]:
        files |= dict(_read(archive, name))
    return Package(name, licence, _limit(files))


def read_archive(archive: Path, licence: str) -> Package:
    """Return a source archive of another registry, whose licence the caller knows."""
    name = archive.name.rpartition("-")[0].lower()
    return Package(name, licence, _limit(dict(_read(archive, name))))


def read_files(archive: Path, name: str) -> dict[str, str]:
    """Return all files of a source archive, by path below the name."""
    return dict(_read(archive, name))


def archive_licence(archive: Path) -> str | None:
    """Return the permissive licence that the metadata of a Python archive declares."""
    with tarfile.open(archive, mode="r|*") as members:
        for member in members:
            if member.name.count("/") == 1 and member.name.endswith("/PKG-INFO"):
                opened = members.extractfile(member)
                text = opened.read().decode("utf-8", "replace") if opened else ""
                break
        else:
            return None
    head = text.partition("\n\n")[0]
    named = re.findall(
        r"^(?:License|License-Expression):[ \t]*(\S.{0,60})$", head, re.MULTILINE
    )
    named += re.findall(
        r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.MULTILINE
    )
    return next(
        (n for n in named if _PERMISSIVE_WORDS.search(n) and "GPL" not in n), None
    )


def _licence(folder: Path, name: str) -> str | None:
    for archive in folder.glob(f"{name}_*.debian.tar.*"):
        with tarfile.open(archive) as members:
            opened = members.extractfile("debian/copyright")
            if opened is None:
                return None
            found = _MAIN_STANZA.search(opened.read().decode("utf-8", "replace"))
        if found and is_permissive(found[1]):
            return found[1].strip()
    return None


def is_permissive(licence: str) -> bool:
    """Return whether one of the alternatives of a licence is permissive."""
    return any(
        all(
            _PERMISSIVE.fullmatch(part.strip(" ()"))
            for part in re.split(r"\s+and\s+|\s*,\s*", choice)
        )
        for choice in re.split(r"\s+or\s+|\s*\|\s*", licence)
        if choice.strip()
    )


def _read(archive: Path, name: str) -> Iterator[tuple[str, str]]:
    with tarfile.open(archive, mode="r|*") as members:
        for member in members:
            path = member.name.removeprefix("./").partition("/")[2]
            if not member.isfile() or not 0 < member.size <= MAX_FILE_BYTES:
                continue
            kind = kind_of(path)
            if kind is None or kind.kind == GENERATED or _SKIPPED.search(path):
                continue
            opened = members.extractfile(member)
            data = opened.read() if opened else b""
            if is_minified(data):
                continue
            try:
                text = data.decode().replace("\r\n", "\n")
            except UnicodeDecodeError:
                continue
            yield f"{name}/{path}", text.replace("\r", "\n").replace("\0", " ")


def _limit(files: dict[str, str]) -> dict[str, str]:
    """Return whole folders, chosen by chance, up to the maximum size."""
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        folders["/".join(path.split("/")[:-1])].append(path)
    left = {True: MAX_BYTES_PER_KIND, False: MAX_BYTES_PER_KIND}
    chosen: dict[str, str] = {}
    for folder in sorted(folders, key=lambda f: blake2b(f.encode()).digest()):
        for path in folders[folder]:
            kind = kind_of(path)
            is_code = kind is not None and kind.kind == CODE
            if len(files[path]) <= left[is_code]:
                left[is_code] -= len(files[path])
                chosen[path] = files[path]
    return chosen
