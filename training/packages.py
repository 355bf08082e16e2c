"""From the archive of a package to its pairs."""

from __future__ import annotations

import random
import re
import tarfile
import zipfile
from collections import defaultdict
from email import message_from_string
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from training.archives import Member, read_archive
from training.comment_pairs import LANGUAGES as CODE
from training.comment_pairs import comment_pairs
from training.document_pairs import Links, document_pairs
from training.glosses import gloss_pairs
from training.licences import (
    Stanza,
    is_permissive,
    licence_of,
    licence_of_distribution,
    licence_of_npm_package,
    read_copyright,
)
from training.python_pairs import python_pairs
from training.sections import read_html, read_markdown, read_rst
from training.translation_pairs import editor_pairs, translation_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from training.pair import Pair
    from training.sections import DocSection

# Their licences are not stated in a form that a program can read, or name every
# library that the package holds beside its messages.
KNOWN_LICENCES = {
    "python3.11-doc": "PSF-2.0",
    "sqlite3-doc": "public-domain",
    "wordnet-base": "WordNet",
    "chromium": "BSD-3-Clause",
    "vscode": "MIT",
    "postgresql-15": "PostgreSQL",
    "postgresql-doc-15": "PostgreSQL",
    "pgadmin4": "PostgreSQL",
    "nodejs-doc": "MIT",
    "tcl8.6-doc": "BSD-3-Clause",
    "llvm-14-doc": "Apache-2.0",
    "clang-14-doc": "Apache-2.0",
    "cups": "Apache-2.0",
    "indico": "MIT",
}
MAX_PAIRS_OF_KIND = 3_000
MAX_MESSAGES = 60_000
MAX_FILE_OF_TEXT = 400_000  # larger ones are generated
MAX_BYTES_OF_CODE = 2_000_000
MAX_BYTES_OF_PAGES = 2_000_000
_NOT_SOURCES = re.compile(
    r"/(?:_?tests?|testdata|vendor|third_?party|node_modules|fixtures|deps)/"
    r"|\.min\.js$|_pb2?\.|\.d\.ts$|/changelog|/CHANGELOG|/NEWS|/releasenotes/"
    # Lists that programs for documentation make of everything.
    r"|/(?:class-use|index-files|src-html|search)/|_source\.html$|-members\.html$"
    r"|/genindex|/py-modindex|_8[a-z]+\.html$|/allclasses"
)
_DESCRIPTIONS = (".dist-info/METADATA", "/PKG-INFO")
_SOURCES = re.compile(r"\.orig(?:-[\w-]+)?\.tar\.\w+$")
_READERS: dict[str, Callable[[str], list[DocSection]]] = {
    ".md": read_markdown,
    ".rst": read_rst,
    ".html": read_html,
    ".htm": read_html,
}


class ReadPackage(NamedTuple):
    """The pairs of a package, or the reason why there are none."""

    name: str
    licence: str
    problem: str
    pairs: list[Pair]


def archives_in(folders: Iterable[Path]) -> list[Path]:
    """Return the archives that hold something to read."""
    found = [file for folder in folders for file in sorted(folder.iterdir())]
    endings = (".deb", ".whl", ".tgz", ".tar.gz")
    return [
        file
        for file in found
        if _SOURCES.search(file.name)
        or (file.name.endswith(endings) and ".debian.tar" not in file.name)
        or file.is_dir()
    ]


def name_of(archive: Path) -> str:
    """Return the name of a package without its version."""
    if archive.is_dir():
        return archive.name
    if archive.suffix == ".deb" or _SOURCES.search(archive.name):
        return archive.name.partition("_")[0]
    return re.split(r"-\d", archive.name, maxsplit=1)[0].replace("_", "-")


def read_package(archive: Path) -> ReadPackage:
    """Return the pairs of a package whose licence allows it."""
    read, members = permitted_members(archive)
    if read.problem:
        return read
    return read._replace(pairs=_sample(_pairs_of(members), read.name))


def permitted_members(archive: Path) -> tuple[ReadPackage, list[Member]]:
    """Return a package without its pairs, and the files that its licence allows to read."""
    name = name_of(archive)
    try:
        members = list(read_archive(archive))
        stanzas = _stanzas(archive, members)
    except (
        OSError,
        EOFError,
        ValueError,
        tarfile.TarError,
        zipfile.BadZipFile,
    ) as error:
        return ReadPackage(name, "", f"unreadable: {error}", []), []
    licence = KNOWN_LICENCES.get(name) or _licence(archive, members, stanzas)
    if not is_permissive(licence):
        return ReadPackage(name, licence, f"licence: {licence}"[:120], []), []
    if _SOURCES.search(archive.name) and name not in KNOWN_LICENCES:
        members = [
            member
            for member in members
            if is_permissive(licence_of(member.path.partition("/")[2], stanzas))
        ]
    return ReadPackage(name, licence, "", []), members


def _stanzas(archive: Path, members: list[Member]) -> list[Stanza]:
    files: Iterable[Member] = members
    if _SOURCES.search(archive.name):
        stem = archive.name.partition(".orig")[0]
        packaging = sorted(archive.parent.glob(f"{stem}-*.debian.tar.*"))
        files = read_archive(packaging[0]) if packaging else []
    for member in files:
        if member.path.endswith(("/copyright", "debian/copyright")):
            return read_copyright(member.data.decode("utf-8", "replace"))
    return []


def _licence(archive: Path, members: list[Member], stanzas: list[Stanza]) -> str:
    if archive.suffix == ".deb" or _SOURCES.search(archive.name):
        declared = {stanza.licence for stanza in stanzas}
        if all(map(is_permissive, declared)):
            return " and ".join(sorted(declared)) or "unknown"
        return licence_of("a-file-nothing-names", stanzas)
    for member in members:
        if member.path.endswith(_DESCRIPTIONS):
            return licence_of_distribution(member.data.decode("utf-8", "replace"))
        if member.path == "package/package.json":
            return licence_of_npm_package(member.data)
    return "unknown"


def translations(members: list[Member]) -> Iterator[Pair]:
    """Yield the pairs across languages; of messages, those from English come first."""
    yield from translation_pairs(members)
    packs = {
        match[1]: member
        for member in members
        if (
            match := re.search(r"language-pack-(\w\w)[\w.-]*/.*main\.i18n", member.path)
        )
    }
    if packs:
        scripts = (member for member in members if member.path.endswith(".js"))
        yield from editor_pairs(scripts, packs)


def _pairs_of(members: list[Member]) -> Iterator[Pair]:
    yield from translations(members)
    yield from _source_pairs(members)


def _source_pairs(members: list[Member]) -> Iterator[Pair]:
    """Yield the pairs of code and documents, up to a number of bytes of each."""
    # Where the sources of pages are there, the pages say nothing else.
    has_sources = any("/_sources/" in member.path for member in members)
    budget = {"code": MAX_BYTES_OF_CODE, "pages": MAX_BYTES_OF_PAGES}
    links = Links()
    random.Random(7).shuffle(members)
    for member in members:
        path = member.path.removesuffix(".txt")
        suffix = PurePath(path).suffix.lower()
        if "/wordnet/data." in path:
            yield from gloss_pairs(member.data)
        if _NOT_SOURCES.search(path) or len(member.data) > MAX_FILE_OF_TEXT:
            continue
        if has_sources and suffix in {".html", ".htm"}:
            continue
        text = member.data.decode("utf-8", "replace") if _is_read(path, suffix) else ""
        part = "code" if suffix in CODE or suffix == ".py" else "pages"
        if not text or budget[part] <= 0:
            continue
        budget[part] -= len(text)
        if part == "code":
            yield from code_pairs(suffix, text)
        else:
            sections = _read_sections(suffix, text)
            links.add(path, sections)
            yield from document_pairs(sections)
    yield from links.pairs()


def _is_read(path: str, suffix: str) -> bool:
    return (
        suffix in CODE
        or suffix == ".py"
        or suffix in _READERS
        or path.endswith(_DESCRIPTIONS)
    )


def _read_sections(suffix: str, text: str) -> list[DocSection]:
    """Read a page, or the description in the metadata of a Python distribution."""
    if suffix in _READERS:
        return _READERS[suffix](text)
    metadata = message_from_string(text)
    read = (
        read_markdown
        if "markdown" in metadata.get("Description-Content-Type", "")
        else read_rst
    )
    return read(str(metadata.get_payload()))


def code_pairs(suffix: str, text: str) -> Iterator[Pair]:
    """Yield the pairs of a file of code."""
    if suffix == ".py":
        yield from python_pairs(text)
    else:
        yield from comment_pairs(text, CODE[suffix])


def _sample(pairs: Iterable[Pair], name: str) -> list[Pair]:
    by_kind: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.is_useful:
            by_kind[pair.kind].append(pair.cut())
    chance = random.Random(name)
    found: list[Pair] = []
    for kind, pairs_of_kind in by_kind.items():
        is_short = kind.startswith(("translation_", "passage_", "gloss"))
        most = MAX_MESSAGES if is_short else MAX_PAIRS_OF_KIND
        distinct = list(dict.fromkeys(pairs_of_kind))
        found += chance.sample(distinct, min(most, len(distinct)))
    return found
