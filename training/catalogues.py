"""Reading the messages of programs, in the formats that translations come in."""

from __future__ import annotations

import ast
import gettext
import io
import json
import re
import struct
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_PO_KEYWORD = re.compile(r"(msgid|msgstr)(?:\[0\])? ")
_PO_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PROPERTY = re.compile(r"^\s*([^#!\s][^=:\s]*)\s*[=:]\s*(.*)$")
_PAK_UTF16 = 2
_DIAGNOSTIC = re.compile(r"_\d+$")


def read_po(data: bytes) -> dict[str, str]:
    """Return originals and translations of a gettext source, fuzzy ones left out."""
    found = {}
    for block in re.split(r"\n\s*\n", data.decode("utf-8", "replace")):
        if "#, " in block and "fuzzy" in block:
            continue
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if match := _PO_KEYWORD.match(line):
                name = match[1]
            elif not line.startswith('"'):
                name = ""
            if name and (text := _PO_STRING.search(line)):
                fields[name] = fields.get(name, "") + _unescape(text[1])
        if fields.get("msgid") and fields.get("msgstr"):
            found[fields["msgid"]] = fields["msgstr"]
    return found


def _unescape(text: str) -> str:
    return (
        text.replace("\\n", "\n")
        .replace("\\t", " ")
        .replace('\\"', '"')
        .replace("\\\\", "\\")
    )


def read_mo(data: bytes) -> dict[str, str]:
    """Return originals and translations of a compiled gettext catalogue."""
    try:
        messages = gettext.GNUTranslations(io.BytesIO(data))._catalog  # type: ignore[attr-defined]  # noqa: SLF001 - there is no public way to list them
    except (
        OSError,
        UnicodeDecodeError,
        ValueError,
        IndexError,
        AssertionError,
        struct.error,
    ):
        return {}
    return {
        source.rpartition("\x04")[2]: target
        for source, target in messages.items()
        if isinstance(source, str) and source and isinstance(target, str)
    }


def read_json(data: bytes) -> dict[str, str]:
    """Return the messages of a JSON bundle by their path in it."""
    try:
        return dict(_leaves(json.loads(data), ""))
    except (ValueError, RecursionError):
        return {}


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, below in value.items():
            if key != "description":  # for translators, and never translated
                yield from _leaves(below, f"{path}/{key}")
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield path, ", ".join(value)
    elif isinstance(value, str):
        yield path, value


def read_properties(data: bytes) -> dict[str, str]:
    """Return the messages of a Java bundle by their keys."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    found = {}
    for line in re.sub(r"\\\r?\n\s*", "", text).splitlines():
        if match := _PROPERTY.match(line):
            found[match[1]] = re.sub(
                r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), match[2]
            ).replace("''", "'")
    return found


def read_pak(data: bytes) -> dict[str, str]:
    """Return the messages of a resource file of Chromium by their numbers."""
    _version, encoding, count, _aliases = struct.unpack_from("<IB3xHH", data)
    codec = "utf-16-le" if encoding == _PAK_UTF16 else "utf-8"
    entries = [struct.unpack_from("<HI", data, 12 + 6 * n) for n in range(count + 1)]
    return {
        str(number): data[start:end].decode(codec, "replace")
        for (number, start), (_, end) in pairwise(entries)
    }


def read_diagnostics(data: bytes) -> dict[str, str]:
    """Return originals and translations of TypeScript: keys are the originals."""
    return {
        _DIAGNOSTIC.sub("", key).replace("_", " ").strip(): text
        for key, text in json.loads(data).items()
    }


def read_bundle(data: bytes) -> dict[str, str]:
    """Return originals and translations of an extension of an editor."""
    bundle = json.loads(data).get("contents", {}).get("bundle", {})
    return {key: text for key, text in bundle.items() if isinstance(text, str)}


def read_vscode_array(data: bytes) -> dict[str, str]:
    """Return the messages of a language pack by their place in it."""
    text = data.decode().partition("[")[2].rpartition("]")[0]
    strings = re.findall(r'^\s*("(?:[^"\\]|\\.)*"|undefined),?$', text, re.MULTILINE)
    return {str(n): json.loads(s) for n, s in enumerate(strings) if s != "undefined"}


def read_vscode_originals(data: bytes) -> dict[str, str]:
    """Return the messages in a script of the editor by their places in the packs."""
    found = {}
    for match in re.finditer(
        r"""localize2?\(\s*(\d+),\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""",
        data.decode("utf-8", "replace"),
    ):
        try:
            found[match[1]] = str(ast.literal_eval(match[2]))
        except (SyntaxError, ValueError):
            continue
    return found


BILINGUAL: Mapping[str, Callable[[bytes], dict[str, str]]] = {
    ".po": read_po,
    ".mo": read_mo,
    "diagnosticMessages.generated.json": read_diagnostics,
    ".i18n.json": read_bundle,
}
KEYED: Mapping[str, Callable[[bytes], dict[str, str]]] = {
    ".json": read_json,
    ".properties": read_properties,
    ".pak": read_pak,
}
