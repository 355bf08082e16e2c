"""The settings of the chunker as options: one for each field of `ChunkConfig`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from outcrop.chunking.config import OVERSIZE_MODES, STRATEGY_NAMES, ChunkConfig
from outcrop.errors import ChunkConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

UNITS = ("characters", "tokens")

# Field of the configuration -> the option that sets it, and how it is declared.
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "max_chunk_size": (
        "--max-size",
        {
            "type": int,
            "default": 4096,
            "show_default": True,
            "metavar": "N",
            "help": "Maximum size of a chunk.",
        },
    ),
    "min_chunk_size": (
        "--min-size",
        {
            "type": int,
            "metavar": "N",
            "help": "Merge smaller chunks with a neighbour if they belong together.  "
            "[default: an eighth of the maximum, at most 512]",
        },
    ),
    "overlap_size": (
        "--overlap",
        {
            "type": int,
            "metavar": "N",
            "help": "How much of each neighbour to quote in the metadata, 0 for none.  "
            "[default: a twentieth of the maximum, at most 200]",
        },
    ),
    "length": (
        "--unit",
        {
            "type": click.Choice(UNITS),
            "default": UNITS[0],
            "show_default": True,
            "help": "The unit of sizes.",
        },
    ),
    "strategy": (
        "--strategy",
        {
            "type": click.Choice(STRATEGY_NAMES),
            "help": "The strategy.  [default: chosen by the document's content]",
        },
    ),
    "code_threshold": (
        "--code-threshold",
        {
            "type": float,
            "default": 0.3,
            "show_default": True,
            "metavar": "SHARE",
            "help": "Share of code from which a document counts as code.",
        },
    ),
    "structure_threshold": (
        "--structure-threshold",
        {
            "type": int,
            "default": 3,
            "show_default": True,
            "metavar": "N",
            "help": "Number of headings from which a document counts as structured.",
        },
    ),
    "oversize_tolerance": (
        "--tolerance",
        {
            "type": float,
            "default": 0.0,
            "show_default": True,
            "metavar": "SHARE",
            "help": "How far a chunk may exceed the maximum to stay whole: 0.2 is a "
            "fifth.",
        },
    ),
    "oversize_blocks": (
        "--oversize",
        {
            "type": click.Choice(OVERSIZE_MODES),
            "default": "keep",
            "show_default": True,
            "help": "Keep a code block or table over the limit whole, or split it at "
            "lines or rows and repeat its fence or header row.",
        },
    ),
    "include_document_summary": (
        "--summary/--no-summary",
        {
            "default": True,
            "show_default": True,
            "help": "Start the root of a --tree with the opening words of the document.",
        },
    ),
}


def chunk_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as fields of `ChunkConfig`."""
    for field, (name, declaration) in reversed(SETTINGS.items()):
        command = click.option(name, field, **declaration)(command)
    return command


def configure(**settings: Any) -> ChunkConfig:
    """Build the configuration of the options' values; errors name the options."""
    length = None
    if settings.pop("length") == "tokens":
        from outcrop.text.tokens import TokenCounter

        length = TokenCounter()
    try:
        return ChunkConfig(**settings, length=length)
    except ChunkConfigError as error:
        rule = error.rule
        for field, (name, _) in SETTINGS.items():
            rule = rule.replace(field, name)
        hint = f"'{SETTINGS[error.field][0]}'"
        raise click.BadParameter(f"{error.value!r}: {rule}", param_hint=hint) from error
