"""The settings of the chunker as options: one for each field of `ChunkConfig`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from outcrop.chunking.config import OVERSIZE_MODES, STRATEGY_NAMES, ChunkConfig
from outcrop.errors import ChunkConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

UNITS = ("characters", "tokens")


def _declare(name: str, about: str, **declaration: Any) -> tuple[str, dict[str, Any]]:
    return name, {"show_default": True, "help": about, **declaration}


# Field of the configuration -> the option that sets it, and how it is declared.
SETTINGS = {
    "max_chunk_size": _declare(
        "--max-size", "Maximum size of a chunk.", type=int, default=4096, metavar="N"
    ),
    "min_chunk_size": _declare(
        "--min-size",
        "Merge smaller chunks with a neighbour if they belong together.  "
        "[default: an eighth of the maximum, at most 512]",
        type=int,
        metavar="N",
    ),
    "overlap_size": _declare(
        "--overlap",
        "How much of each neighbour to quote in the metadata, 0 for none.  "
        "[default: a twentieth of the maximum, at most 200]",
        type=int,
        metavar="N",
    ),
    "length": _declare(
        "--unit", "The unit of sizes.", type=click.Choice(UNITS), default=UNITS[0]
    ),
    "strategy": _declare(
        "--strategy",
        "The strategy.  [default: chosen by the document's content]",
        type=click.Choice(STRATEGY_NAMES),
    ),
    "code_threshold": _declare(
        "--code-threshold",
        "Share of code from which a document counts as code.",
        type=float,
        default=0.3,
        metavar="SHARE",
    ),
    "structure_threshold": _declare(
        "--structure-threshold",
        "Number of headings from which a document counts as structured.",
        type=int,
        default=3,
        metavar="N",
    ),
    "oversize_tolerance": _declare(
        "--tolerance",
        "How far a chunk may exceed the maximum to stay whole: 0.2 is a fifth.",
        type=float,
        default=0.0,
        metavar="SHARE",
    ),
    "oversize_blocks": _declare(
        "--oversize",
        "Keep a code block or table over the limit whole, or split it at lines or rows "
        "and repeat its fence or header row.",
        type=click.Choice(OVERSIZE_MODES),
        default="keep",
    ),
    "include_document_summary": _declare(
        "--summary/--no-summary",
        "Start the root of a --tree with the opening words of the document.",
        default=True,
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
