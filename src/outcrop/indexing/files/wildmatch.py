"""Patterns of ignore files as regular expressions with bounded backtracking.

A pattern may come from an untrusted repository, so the time to match it
must not depend on how it is written. The text between two stars has a fixed width,
so its leftmost match is always as good as any later one: an atomic group takes that
match and does not backtrack. `**` between slashes is treated alike, with folders in
place of characters. The time is at most the length of the path times that of the
pattern, for each folder of the path.
"""

from __future__ import annotations

import re
from itertools import pairwise

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\r ", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_STAR, _SLASH = "*", "/"
_ANY = "[^/]"
_FOLDERS = "(?:[^/]+/)*"


def name_regex(pattern: str) -> str | None:
    """Translate a pattern for the name of a file or folder.

    Returns:
        A regular expression for the whole name; None if nothing can match.
    """
    tokens = _tokens(pattern)
    return None if tokens is None else _segment(tokens)


def path_regex(pattern: str) -> str | None:
    """Translate a pattern for a path, whose folders are separated by slashes.

    Returns:
        A regular expression for the whole path; None if nothing can match.
    """
    tokens = _tokens(pattern)
    if tokens is None:
        return None
    groups: list[list[str]] = [[]]
    for segment in _split(tokens, _SLASH):
        if len(segment) > 1 and all(token == _STAR for token in segment):
            groups.append([])
        else:
            groups[-1].append(_segment(segment))
    if len(groups) == 1:
        return "/".join(groups[0])
    first, *middle, last = groups
    found = [f"{segment}/" for segment in first]
    found += [f"(?>{_FOLDERS}?{'/'.join(group)}/)" for group in middle if group]
    found.append(_FOLDERS + "/".join(last) if last else ".*")
    return "".join(found)


def _segment(tokens: list[str]) -> str:
    """Return the expression for the tokens between two slashes."""
    first, *others = ("".join(block) for block in _split(tokens, _STAR))
    if not others:
        return first
    middle = "".join(f"(?>{_ANY}*?{block})" for block in others[:-1] if block)
    return f"{first}{middle}{_ANY}*{others[-1]}"


def _split(tokens: list[str], separator: str) -> list[list[str]]:
    places = [i for i, token in enumerate(tokens) if token == separator]
    bounds = [-1, *places, len(tokens)]
    return [tokens[start + 1 : end] for start, end in pairwise(bounds)]


def _tokens(pattern: str) -> list[str] | None:
    """Split a pattern into stars, slashes, and expressions for one character each."""
    found: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character in (_STAR, _SLASH):
            found.append(character)
        elif character == "?":
            found.append(_ANY)
        elif character == "[":
            members = _read_class(pattern, at)
            if members is None:
                return None
            expression, at = members
            found.append(expression)
        elif character != "\\":
            found.append(re.escape(character))
        elif at == len(pattern):
            return None
        else:
            escaped = pattern[at]
            found.append(_SLASH if escaped == _SLASH else re.escape(escaped))
            at += 1
    return found


def _read_class(pattern: str, at: int) -> tuple[str, int] | None:
    """Read the members of a class such as `[!a-z_]`, from after its bracket.

    Returns:
        Its expression and the offset after it; None if it is not closed.
    """
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    first = at
    previous: str | None = None
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        named = _read_named(pattern, at)
        if named is not None:
            name, at = named
            if name not in _CLASSES:
                return None
            members.append(_CLASSES[name])
            previous = None
        elif _is_range(pattern, at) and previous is not None:
            end, at = _read_member(pattern, at + 1)
            members += [f"{_code(previous)}-{_code(end)}"] if previous <= end else []
            previous = None
        else:
            previous, at = _read_member(pattern, at)
            members.append(_code(previous))
    if at >= len(pattern):
        return None
    return _class(members, negated=negated), at + 1


def _class(members: list[str], *, negated: bool) -> str:
    # No class matches a slash.
    inner = "".join(members)
    if negated:
        return f"[^/{inner}]"
    return f"(?!/)[{inner}]" if inner else "(?!)"


def _is_range(pattern: str, at: int) -> bool:
    return pattern[at] == "-" and pattern[at + 1 : at + 2] not in ("", "]")


def _read_named(pattern: str, at: int) -> tuple[str, int] | None:
    """Read a class such as `[:alpha:]`, if one starts here."""
    if not pattern.startswith("[:", at):
        return None
    end = pattern.find("]", at + 2)
    if end <= at + 2 or pattern[end - 1] != ":":
        return None
    return pattern[at + 2 : end - 1], end + 1


def _read_member(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] == "\\":
        at += 1
    # An escape at the very end leaves the class open.
    return pattern[at : at + 1] or "\\", at + 1


def _code(character: str) -> str:
    return f"\\U{ord(character):08x}"
