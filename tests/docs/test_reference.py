"""The reference names everything there is, and nothing that is not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import click
import pytest
from doc_pages import ROOT, read_page

import outcrop
from outcrop import ChunkConfig, Hit, MarkdownChunker
from outcrop.chunking.config import STRATEGY_NAMES
from outcrop.cli.main import COMMANDS, EXIT_CODES, INTERRUPTED, main
from outcrop.cli.settings import known_settings
from outcrop.markdown import parse
from outcrop.presentation.reasons import REASONS

REFERENCE = ROOT / "docs" / "reference"

# Described once, in a section of their own.
OF_ALL_COMMANDS = {"-v", "--verbose", "-q", "--quiet"}

CODE = "```\n" + "\n".join(f"code line {n}" for n in range(12)) + "\n```\n"
WORDS = "Some words of text that go on for a while, and then end here. "

# Between them, chunks of these have every field there is.
DOCUMENTS = (
    f"Before.\n\n# A\n\n## B\n\n{WORDS * 9}\n\n### C\n\n{CODE}\n\n```\nnot closed\n",
    f"{WORDS * 2}\n\n# Alone\n\n{WORDS * 3}\n",
    f"# {'Long ' * 30}\n\n{WORDS * 3}\n",
)


def _commands(
    group: click.Group, name: str = "outcrop"
) -> list[tuple[str, click.Command]]:
    """Every command below a group, with its full name."""
    context = click.Context(group)
    found: list[tuple[str, click.Command]] = []
    for child in group.list_commands(context):
        command = group.get_command(context, child)
        assert command is not None
        found.append((f"{name} {child}", command))
        if isinstance(command, click.Group):
            found.extend(_commands(command, f"{name} {child}"))
    return found


def _sections(page: Path) -> dict[str, str]:
    """The text below each H2 of a page, by its title."""
    document = parse(page.read_text(encoding="utf-8"))
    headings = [heading for heading in document.headings if heading.level == 2]
    ends = [*(heading.start for heading in headings[1:]), len(document.text)]
    return {
        heading.title: document.text[heading.end : end]
        for heading, end in zip(headings, ends, strict=True)
    }


def _spelled(command: click.Command) -> list[str]:
    """What users type: options as they are, arguments by their placeholder."""
    context = click.Context(command)
    return [
        name if name.startswith("-") else parameter.make_metavar(context)
        for parameter in command.params
        for name in parameter.opts
        if name not in OF_ALL_COMMANDS
    ]


def test_every_command_and_option_is_in_the_reference():
    sections = _sections(REFERENCE / "cli.md")
    missing = [
        f"{name} {spelled}"
        for name, command in _commands(main)
        for spelled in ["", *_spelled(command)]
        if spelled not in sections.get(name, "") or name not in sections
    ]
    assert missing == [], "describe them in docs/reference/cli.md"


def test_the_reference_names_no_command_that_is_not_there():
    titles = [t for t in _sections(REFERENCE / "cli.md") if t.startswith("outcrop ")]
    assert titles == [name for name, _ in _commands(main)], (
        "the sections of docs/reference/cli.md come in the order of COMMANDS"
    )


def test_every_exit_code_is_in_the_reference():
    codes = read_page(REFERENCE / "cli.md").column("code")
    known = {0, *EXIT_CODES.values(), INTERRUPTED}
    assert codes == [str(code) for code in sorted(known)]


def test_the_options_of_all_commands_are_in_the_reference():
    section = _sections(REFERENCE / "cli.md")["Options of all commands"]
    assert [name for name in OF_ALL_COMMANDS if f"`{name}`" not in section] == []


def test_every_key_of_the_settings_file_is_in_the_reference():
    section = _sections(REFERENCE / "config.md")["Settings file"]
    rows = re.findall(r"^\| (?:`\[(.+?)\]`|–) \| (.+?) \|", section, re.MULTILINE)
    shown = [
        f"{table}.{name}" if table else name
        for table, names in rows
        for name in re.findall(r"`(.+?)`", names)
    ]
    assert shown == [".".join(key) for key in known_settings()]


def test_every_public_name_is_in_the_reference():
    shown = (REFERENCE / "python.md").read_text(encoding="utf-8")
    missing = [name for name in outcrop.__all__ if f"`{name}" not in shown]
    assert missing == [], "describe them in docs/reference/python.md"


def test_every_field_of_a_hit_is_in_the_reference():
    text = (REFERENCE / "python.md").read_text(encoding="utf-8")
    shown = text.partition("### `Hit`")[2].partition("\n## ")[0]
    missing = [each.name for each in fields(Hit) if f"`{each.name}`" not in shown]
    assert missing == [], "add them to the table below Hit in docs/reference/python.md"


def test_every_setting_is_in_the_reference_with_its_default():
    names = [field.name for field in fields(ChunkConfig)]
    assert read_page(REFERENCE / "config.md").column("field") == names
    text = (REFERENCE / "config.md").read_text(encoding="utf-8")
    for field in fields(ChunkConfig):
        assert field.default is not MISSING
        default = "–" if field.default is None else f"`{json.dumps(field.default)}`"
        row = rf"^\| `{field.name}` \| .* \| {re.escape(default)} \|"
        assert re.search(row, text, re.MULTILINE | re.IGNORECASE), field.name


def _metadata_fields() -> set[str]:
    found: set[str] = set()
    for strategy in (None, "code_aware", "structural", "fallback"):
        for size in (80, 150, 200):
            chunker = MarkdownChunker(
                ChunkConfig(max_chunk_size=size, strategy=strategy)
            )
            for document in DOCUMENTS:
                chunks = chunker.chunk(document)
                chunks += chunker.chunk_hierarchical(document).chunks
                for chunk in chunks:
                    found.update(chunk.metadata)
    return found


def test_every_metadata_field_is_in_the_reference():
    # Fields of `Chunk.metadata`; those of hits are on the page about Python.
    shown = read_page(REFERENCE / "metadata.md").column("field")
    # No known document makes the parser fail for good, which `parse_warning` tells of.
    assert sorted(shown) == sorted(_metadata_fields() | {"parse_warning"})


def test_every_strategy_has_a_row_on_the_page_about_chunking():
    page = read_page(ROOT / "docs" / "concepts" / "chunking.md")
    assert page.column("strategy") == list(STRATEGY_NAMES)


def test_every_rule_of_a_boundary_is_in_the_reference():
    text = (REFERENCE / "metadata.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (`.+?`) \|", text, re.MULTILINE)
    shown = {
        (stage, rule) for stage, rules in rows for rule in re.findall(r"`(\w+)`", rules)
    }
    assert sorted(set(REASONS) - shown) == [], "add a row below Boundary in metadata.md"


def test_every_command_in_the_table_has_a_line_of_help():
    assert all(
        entry.help and not entry.help.endswith(".") for entry in COMMANDS.values()
    )


@pytest.mark.timeout(300)  # it indexes the project's own sources
def test_make_demo_shows_a_table_and_writes_a_page(project):
    commands = f"BIN={Path(sys.executable).parent}"
    done = subprocess.run(
        ["make", "-s", "-o", ".venv/.ready", "demo", commands],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "README.md: " in done.stdout
    assert "build/demo.html" in done.stdout
    assert (
        (project / "build" / "demo.html")
        .read_text(encoding="utf-8")
        .startswith("<!doctype")
    )
