"""Text for people: counts with nouns, symbols, code in colours, and what is untrusted."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.model.graph import Link

# Control characters are replaced by their pictures.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_PICTURES[0x7F] = 0x2421
_LINE_PICTURES = {ord("\t"): 0x2409, ord("\n"): 0x240A, 0x85: 0xFFFD}
_LINE_PICTURES |= dict.fromkeys([0x2028, 0x2029], 0xFFFD)
# These reorder the text around them, so that it reads differently from what it is.
_PICTURES.update(
    dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of text; a word of the query or a quotation is marked."""

    text: str
    is_marked: bool = False
    kind: str = ""  # of a token of code, for its colour


class Colours:
    """A text and its tokens; there are none where it is not code that can be read.

    Templates escape its stretches.
    """

    def __init__(self, text: str, lang: str | None = None) -> None:
        from outcrop.codegraph.colouring import read_tokens

        self.text = text
        self._tokens = read_tokens(text, lang)
        self._starts = [token.start for token in self._tokens]

    def segments(
        self, start: int, end: int, *, is_marked: bool = False
    ) -> Iterator[Segment]:
        """Yield a part of the text, cut where a token begins or ends."""
        at = start
        index = max(bisect_right(self._starts, start) - 1, 0)
        while at < end and index < len(self._tokens):
            token = self._tokens[index]
            low, high = max(token.start, at), min(token.end, end)
            if token.start >= end:
                break
            if low < high:
                if at < low:
                    yield Segment(text=self.text[at:low], is_marked=is_marked)
                text = self.text[low:high]
                yield Segment(text=text, is_marked=is_marked, kind=token.kind)
                at = high
            index += 1
        if at < end:
            yield Segment(text=self.text[at:end], is_marked=is_marked)


def count(number: int, noun: str = "") -> str:
    """Return a number with its noun, as in `1 chunk` and `1,204 chunks`."""
    if not noun:
        return f"{number:,}"
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}" + ("es" if noun.endswith("ch") else "s")


def megabytes(size: int) -> str:
    """Return a number of bytes in megabytes, as in `1.5 MB`."""
    return f"{size / 1_000_000:,.1f} MB"


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text on one line, with an ellipsis if it is cut."""
    line = " ".join(text[: 2 * length].split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def visible(text: object) -> str:
    """Replace control characters and lone surrogates by characters that show."""
    return str(text).translate(_PICTURES).encode(errors="replace").decode()


def visible_name(text: object) -> str:
    """Return a name on one line; control characters in it are visible."""
    return visible(str(text).translate(_LINE_PICTURES))


MAX_SIGNATURE_CHARS = 200


def short_signature(signature: str) -> str:
    """Return a signature in one line, without its end if it is long."""
    line = " ".join(signature.split())
    if len(line) <= MAX_SIGNATURE_CHARS:
        return line
    return f"{line[:MAX_SIGNATURE_CHARS].rstrip()} …"


def by_file(links: Iterable[Link]) -> list[tuple[str, list[Link]]]:
    """Return links by the file they lead to, the file with most of them first.

    Links that lead out of the project are in one group, without a file.
    """
    groups: dict[str, list[Link]] = {}
    for link in links:
        path = (link.node.file_path if link.node is not None else None) or ""
        groups.setdefault(path, []).append(link)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
