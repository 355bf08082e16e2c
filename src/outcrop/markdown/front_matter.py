"""Front matter: where it is at the start of a document, and what it says.

Static site generators read YAML between `---` lines, TOML between `+++` lines, and a
JSON object. A block that cannot be read costs its fields, never the document.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcrop.text.simple_yaml import read_simple_yaml
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

# Longer blocks are data, not front matter.
MAX_CHARS = 64_000
MAX_VALUE_CHARS = 2_000
MAX_VALUES = 100

# The names of a title, the best first; compared without case.
_TITLES = ("title", "h1", "linktitle", "sidebar_label", "name")
_BYTE_ORDER_MARK = "\ufeff"
_YAML = re.compile(
    r"\s*---[ \t]*(?:\r\n?|\n)(.*?)(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?=[\r\n]|\Z)",
    re.DOTALL,
)
# A line end is atomic: CRLF read as two would take time exponential in the lines.
_TOML = re.compile(
    r"\+\+\+[ \t]*(?>\r\n?|\n)((?:[^\r\n]*(?>\r\n?|\n))*?)\+\+\+[ \t]*(?:\r\n?|\n|\Z)"
)
# What opens TOML, after blank lines: a key, a table or a comment.
_TOML_START = re.compile(r"\s*(?:[\w.\"'-]+\s*=|\[|#|\Z)")
_JSON_START = re.compile(r"\{\s*\"")
_LINE_REST = re.compile(r"[ \t]*(?:\r\n?|\n|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What front matter says of its document.

    Attributes:
        title: The title; empty if it has none.
        description: What the document is about; may be empty.
        keywords: Words to find it by.
        tags: Labels to filter by.
        aliases: Other names or addresses.
    """

    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter at the start of a document, if it has any."""
    return _fields(_by_name(_read_values(text)))


def read_title(text: str) -> str:
    """Read the title in the front matter, faster than `read_front_matter` does."""
    return _title(_by_name(_read_values(text, _TITLES)))


def _read_values(text: str, only: Container[str] | None = None) -> Mapping[str, Any]:
    """Read the values of front matter: all, or at least those of the keys in `only`."""
    start = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
    head = text[start : start + MAX_CHARS]
    if match := _YAML.match(head):
        return read_simple_yaml(match[1], only)
    if match := _match_toml(head):
        # The parser of the standard library takes no other line ends.
        return _read_toml(re.sub(r"\r\n?", "\n", match[1]))
    found = _match_json(head)
    return found[0] if found is not None else {}


def front_matter_length(text: str) -> int:
    """Return the length of TOML or JSON front matter, with its line end, or 0.

    The Markdown parser finds YAML by itself.
    """
    if not text.startswith(("+++", "{")):
        return 0
    head = text[:MAX_CHARS]
    if match := _match_toml(head):
        return match.end()
    found = _match_json(head)
    return found[1] if found is not None else 0


def front_matter_end(text: str) -> int:
    """Return the end offset of the front matter, 0 without front matter."""
    start = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
    if match := _YAML.match(text[start : start + MAX_CHARS]):
        return start + match.end()
    length = front_matter_length(text[start:] if start else text)
    return start + length if length else 0


def _match_toml(head: str) -> re.Match[str] | None:
    match = _TOML.match(head)
    return match if match and _TOML_START.match(match[1]) else None


def _match_json(head: str) -> tuple[Mapping[str, Any], int] | None:
    """Return the JSON object at the start, and where its last line ends."""
    if not _JSON_START.match(head):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(head)
    except (ValueError, RecursionError):
        return None
    rest = _LINE_REST.match(head, end)
    return (value, rest.end()) if rest and isinstance(value, dict) else None


def _read_toml(source: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(source)
    except (ValueError, RecursionError):
        return {}


def _by_name(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name.casefold(): value for name, value in values.items()}


def _title(by_name: Mapping[str, Any]) -> str:
    titles = (_text(by_name.get(name)) for name in _TITLES)
    return next((title for title in titles if title), "")


def _fields(by_name: Mapping[str, Any]) -> FrontMatter:
    return FrontMatter(
        title=_title(by_name),
        description=_text(by_name.get("description")),
        keywords=_texts(by_name.get("keywords"), separator=","),
        tags=_tags(by_name.get("tags")),
        aliases=_texts(by_name.get("aliases"), separator=","),
    )


def _tags(value: object) -> tuple[str, ...]:
    """Return tags: a list, or one text with commas or else spaces between them."""
    separator = "," if isinstance(value, str) and "," in value else None
    tags = _texts(value, separator=separator)
    return tuple(tag for each in tags if (tag := each.removeprefix("#")))


def _texts(value: object, *, separator: str | None) -> tuple[str, ...]:
    values = value.split(separator) if isinstance(value, str) else value
    if not isinstance(values, list):
        return ()
    texts = (_text(each) for each in values[:MAX_VALUES])
    return tuple(dict.fromkeys(text for text in texts if text))


def _text(value: object) -> str:
    """Return a scalar as one line that the database can hold."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    plain = str(value)[:MAX_VALUE_CHARS].replace("\0", " ")
    return " ".join(replace_surrogates(plain).split())
