"""Pairs from languages with comments above definitions: the comment and the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from training.pair import Pair, first_sentence, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BODY_LINES = 40
_MIN_BODY_LINES = 2
_MIN_SAID = 12  # characters: more than a word or two
_TAG = re.compile(r"^\s*[@\\](?:\w+)")
_NOT_PROSE = re.compile(
    r"copyright|licen[cs]e|eslint|prettier|nolint|go:build|pylint|noqa|tslint|@ts-"
    r"|todo|fixme|generated|rubocop|phpcs|stylelint|clang-format|sourcemapping",
    re.IGNORECASE,
)


class Syntax(NamedTuple):
    """How a language writes comments and definitions.

    Attributes:
        line: What a comment line starts with.
        definition: Matches the line of a definition; its group is the name.
        has_blocks: Whether `/* … */` is a comment.
    """

    line: str
    definition: re.Pattern[str]
    has_blocks: bool = True


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|override|open|async"
    r"|virtual|sealed|partial|readonly|export|default|declare|suspend|inline|unsafe"
    r"|extern|const|synchronized|native|data|case|implicit|lazy|mutating|fileprivate"
    r"|pub(?:\([\w:]+\))?|inline|constexpr|explicit)\s+)*"
)
_C_LIKE = _pattern(
    rf"^\s*{_MODIFIERS}(?:(?:class|interface|enum|struct|record|trait|object|protocol"
    r"|namespace|extension|union|typedef)\s+([A-Za-z_]\w*)"
    r"|(?:[\w<>\[\],.?:*&]+\s+)+[*&]?([A-Za-z_]\w*)\s*\()"
)
_SYNTAXES = {
    "go": Syntax("//", _pattern(r"^(?:func\s+(?:\([^)]*\)\s*)?|type\s+)(\w+)")),
    "rust": Syntax(
        "///",
        _pattern(
            rf"^\s*{_MODIFIERS}(?:fn|struct|enum|trait|mod|type|impl|macro_rules!)\s+(\w+)"
        ),
    ),
    "javascript": Syntax(
        "//",
        _pattern(
            r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?:function\*?\s+(\w+)"
            r"|(?:abstract\s+)?class\s+(\w+)|interface\s+(\w+)|type\s+(\w+)\s*[=<]"
            r"|(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function|\(|\w+\s*=>)"
            r"|(?:[\w.]+\.)(\w+)\s*=\s*(?:async\s+)?function"
            r"|(?:static\s+|async\s+|get\s+|set\s+|public\s+|private\s+|protected\s+|readonly\s+)*"
            r"(\w+)\s*(?:<[^>]*>)?\([^)]*\)\s*(?::[^{]+)?\{)"
        ),
    ),
    "python": Syntax(
        "#", _pattern(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)"), has_blocks=False
    ),
    "ruby": Syntax(
        "#",
        _pattern(r"^\s*(?:def|class|module)\s+(?:self\.)?([\w?!]+)"),
        has_blocks=False,
    ),
    "php": Syntax(
        "//",
        _pattern(
            r"^\s*(?:abstract\s+|final\s+|public\s+|private\s+|protected\s+|static\s+)*"
            r"(?:function\s+&?(\w+)|(?:class|interface|trait|enum)\s+(\w+))"
        ),
    ),
    "kotlin": Syntax(
        "//",
        _pattern(
            rf"^\s*{_MODIFIERS}(?:fun|class|interface|object|val|var)\s+(?:<[^>]*>\s*)?(?:\w+\.)?(\w+)"
        ),
    ),
    "swift": Syntax(
        "///",
        _pattern(
            rf"^\s*{_MODIFIERS}(?:func|class|struct|enum|protocol|extension|var|let)\s+(\w+)"
        ),
    ),
    "scala": Syntax(
        "//", _pattern(rf"^\s*{_MODIFIERS}(?:def|class|trait|object|val)\s+(\w+)")
    ),
    "java": Syntax("//", _C_LIKE),
    "csharp": Syntax("///", _C_LIKE),
    "c": Syntax("//", _C_LIKE),
}
LANGUAGES = {
    ".go": "go", ".rs": "rust", ".js": "javascript", ".mjs": "javascript",
    ".ts": "javascript", ".tsx": "javascript", ".jsx": "javascript", ".rb": "ruby",
    ".php": "php", ".kt": "kotlin", ".swift": "swift", ".scala": "scala",
    ".java": "java", ".cs": "csharp", ".c": "c", ".h": "c", ".cc": "c", ".cpp": "c",
    ".hpp": "c", ".cxx": "c",
}  # fmt: skip


def comment_pairs(text: str, language: str) -> Iterator[Pair]:
    """Yield pairs of one file."""
    syntax = _SYNTAXES[language]
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        comment, after = _read_comment(lines, at, syntax)
        if not comment:
            at += 1
            continue
        at = after
        while at < len(lines) and lines[at].lstrip().startswith(("@", "#[", "[")):
            at += 1  # decorators and attributes
        if at < len(lines):
            yield from _pairs_at(lines, at, comment, syntax)


def _pairs_at(
    lines: list[str], at: int, comment: str, syntax: Syntax
) -> Iterator[Pair]:
    said = first_sentence(comment)
    if _NOT_PROSE.search(comment[:400]) or len(said) < _MIN_SAID:
        return
    match = syntax.definition.match(lines[at])
    body = _read_body(lines, at)
    if len(body) < _MIN_BODY_LINES:
        return
    if match is None:
        if "\n" not in comment:
            yield Pair("comment", said, "\n".join(body[:12]))
        return
    name = next(filter(None, match.groups()), "")
    passage = "\n".join(body)
    # Go's comments start with the name, which would make the pair too easy.
    asked = said.removeprefix(f"{name} ")
    yield Pair("doc_comment", asked, f"{name}\n{passage}")
    words = name_words(name)
    if " " in words:
        yield Pair("name", words, f"{said}\n" + "\n".join(body[1:]))


def _read_comment(lines: list[str], at: int, syntax: Syntax) -> tuple[str, int]:
    """Return the comment that starts at a line, and the line after it."""
    start = lines[at].lstrip()
    if syntax.has_blocks and start.startswith("/*"):
        return _read_block(lines, at)
    if not start.startswith(syntax.line):
        return "", at
    kept = []
    while at < len(lines) and lines[at].lstrip().startswith(syntax.line):
        kept.append(lines[at].lstrip().lstrip("/#!").strip())
        at += 1
    return "\n".join(_prose(kept)), at


def _read_block(lines: list[str], at: int) -> tuple[str, int]:
    kept = []
    end = min(len(lines), at + 80)
    while at < end:
        line = lines[at].strip()
        kept.append(
            line.removeprefix("/**").removeprefix("/*").removesuffix("*/").strip(" *")
        )
        at += 1
        if line.endswith("*/"):
            return "\n".join(_prose(kept)), at
    return "", at


def _prose(lines: list[str]) -> list[str]:
    """Return the lines before the first tag such as `@param`."""
    kept = []
    for line in lines:
        if _TAG.match(line) or line.startswith(("<param", "<returns", "Args:", "# ")):
            break
        kept.append(re.sub(r"</?\w+[^>]*>", "", line))
    return kept


def _read_body(lines: list[str], at: int) -> list[str]:
    """Return a definition: up to the line that closes it at its own indent."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    body = [lines[at]]
    for line in lines[at + 1 : at + _MAX_BODY_LINES]:
        stripped = line.strip()
        own = len(line) - len(line.lstrip())
        if stripped and own <= indent:
            if stripped[0] in "})" or stripped.startswith("end"):
                body.append(line)
            elif len(body) > 1 or own < indent:
                break
            if len(body) > 1:
                break
        body.append(line)
    return [line for line in body if line.strip()]
