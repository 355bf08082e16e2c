"""Items that stand inside a macro, as in `cfg_net! { pub struct TcpListener { … } }`.

The grammar reads the inside of a macro as loose tokens. Where items stand there, name and
braces of the macro are overwritten with spaces, so that the items are read as such, and
at the same offsets.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict

# The macro opens at the end of a line, and an item, or a macro of items, comes next.
_OPENING = re.compile(
    rb"""^(?P<indent>[ \t]*)(?P<opening>(?P<name>[A-Za-z_][\w:]*)![ \t]*\{)[ \t]*\r?\n
    (?=\s*(?://|/\*|\#!?\[|[A-Za-z_][\w:]*![ \t]*\{|
        (?:pub|fn|struct|enum|union|impl|trait|mod|use|const|static|type|async|unsafe|extern)\b
    ))""",
    re.MULTILINE | re.VERBOSE,
)
_CLOSING = re.compile(rb"^(?P<indent>[ \t]*)\}", re.MULTILINE)
# What stands in these is a template, not an item.
_TEMPLATES = frozenset(
    {b"quote", b"quote_spanned", b"parse_quote", b"parse_quote_spanned"}
)


def unwrap_item_macros(data: bytes) -> bytes:
    """Overwrite item macros with spaces, their contents left out.

    A macro ends at the first line that closes a brace at its own indentation, as
    formatted code does.
    """
    openings = [
        opening
        for opening in _OPENING.finditer(data)
        if opening["name"].rpartition(b"::")[2] not in _TEMPLATES
    ]
    if not openings:
        return data
    closings: dict[bytes, list[int]] = defaultdict(list)
    for closing in _CLOSING.finditer(data):
        closings[closing["indent"]].append(closing.end() - 1)
    found = bytearray(data)
    for opening in openings:
        ends = closings[opening["indent"]]
        at = bisect(ends, opening.end())
        if at < len(ends):
            first, last = opening.span("opening")
            found[first:last] = b" " * (last - first)
            found[ends[at]] = ord(" ")
    return bytes(found)
