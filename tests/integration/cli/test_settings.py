"""Settings of a project, on the command line."""

from __future__ import annotations

import json

import pytest

from outcrop.cli.main import COMMANDS
from outcrop.cli.settings import TABLES, known_settings

TEXT = "# Tea\n\n" + "Boil the water, and wait. " * 20


def _sources(result):
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["settings"]
    return {row["name"]: (row["value"], row["source"]) for row in rows}


def test_a_setting_of_the_file_is_the_default_of_its_option(outcrop, tmp_path):
    (tmp_path / "tea.md").write_text(TEXT)
    (tmp_path / "outcrop.toml").write_text("[chunk]\nmax-size = 80\nformat = 'jsonl'\n")
    assert len(outcrop("chunk", "tea.md").stdout.splitlines()) > 3
    larger = outcrop("chunk", "tea.md", "--max-size", "1000").stdout
    assert len(larger.splitlines()) == 1


def test_the_file_of_the_project_named_by_an_option_counts(outcrop, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "outcrop.toml").write_text("embedder = 'openai:theirs'\n")
    (tmp_path / "outcrop.toml").write_text("embedder = 'openai:ours'\n")
    shown = _sources(outcrop("config", "show", "--json", "--project", "./other"))
    assert shown["embedder"] == ("openai:theirs", f"{other}/outcrop.toml:1")


def test_config_show_says_where_each_value_comes_from(outcrop, tmp_path, monkeypatch):
    monkeypatch.delenv("OUTCROP_EMBEDDER", raising=False)
    file = tmp_path / "outcrop.toml"
    file.write_text("embedder = 'openai:a'\n[search]\nlimit = 7\n")
    url = "postgresql://me:secret@db.example/x"
    monkeypatch.setenv("OUTCROP_DATABASE_URL", url)
    result = outcrop("config", "show", "--json")
    assert "secret" not in result.output
    shown = _sources(result)
    assert shown["embedder"] == ("openai:a", f"{file}:1")
    assert shown["search.limit"] == (7, f"{file}:3")
    assert shown["search.mode"] == ("hybrid", "default")
    where = "environment OUTCROP_DATABASE_URL"
    assert shown["database-url"] == ("postgresql://me@db.example/x", where)
    given = _sources(outcrop("config", "show", "--json", "--embedder", "openai:b"))
    assert given["embedder"] == ("openai:b", "option --embedder")


def test_config_show_prints_a_table_for_people(outcrop, tmp_path):
    (tmp_path / "outcrop.toml").write_text("[search]\nfull = true\nkind = ['doc']\n")
    lines = outcrop("config", "show").stdout.splitlines()
    assert lines[0] == f"settings file: {tmp_path}/outcrop.toml"
    words = {line.split()[0]: line.split()[1:] for line in lines[1:]}
    assert words["search.full"] == ["true", f"{tmp_path}/outcrop.toml:2"]
    assert words["search.kind"] == ["doc", f"{tmp_path}/outcrop.toml:3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[serach]\nlimit = 3", ":1: unknown setting 'serach'; did you mean 'search'?"),
        (
            "[search]\n\nlimti = 3",
            ":3: unknown setting 'search.limti'; did you mean 'search.limit'?",
        ),
        (
            "[graph.show]\ncolour = 'red'",
            ":2: unknown setting 'graph.show.colour'; choose one of: limit, level",
        ),
        (
            "[search]\nlimit = 'many'",
            ":2: search.limit is 'many', but must be a whole number",
        ),
        ("[search]\nlimit = true", ":2: search.limit is True, but must be a whole"),
        ("[search]\nfull = 1", ":2: search.full is 1, but must be a boolean"),
        ("[search]\nkind = 'doc'", ":2: search.kind is 'doc', but must be a list of"),
        ("[search]\nmode = 'hybird'", ":2: search.mode is 'hybird', but 'hybird' is"),
        ("search = 3", ":1: 'search' is a table; write [search]"),
        (
            "[index]\nfollow-links = true",
            (
                ":2: 'index.follow-links' cannot be set in a file that comes with the"
                " project; pass --follow-links"
            ),
        ),
        ("database-url = 'x'", ":1: 'database-url' cannot be set in a file that"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_line(outcrop, tmp_path, text, message):
    (tmp_path / "outcrop.toml").write_text(text)
    result = outcrop("search", "tea")
    assert result.exit_code == 2
    assert f"error: {tmp_path}/outcrop.toml{message}" in result.stderr


def test_help_is_shown_where_the_file_is_damaged(outcrop, tmp_path):
    (tmp_path / "outcrop.toml").write_text("nonsense")
    result = outcrop("search", "--help")
    assert result.exit_code == 0
    assert "[default: 5;" in result.stdout


def test_no_setting_widens_what_is_read_or_who_may_call():
    names = {key[-1] for key in known_settings()}
    assert not names & {
        "allow-host",
        "allow-writes",
        "cors-origin",
        "database-url",
        "follow-links",
        "host",
        "include-secrets",
        "project",
        "root",
    }


def test_every_table_is_a_command():
    assert {table[0] for table in TABLES} <= set(COMMANDS)
