"""The settings file: where it is found, and on which line each value is."""

from __future__ import annotations

import os
import time

import pytest

from outcrop.errors import ConfigError
from outcrop.indexing.config import read_config, read_embedder
from outcrop.regular_file import MAX_BYTES
from outcrop.settings import find_settings

FILE = '''\
# A comment with [brackets]
embedder = "local"
index.max-tokens = 200

[search]
kind = [
  "code",  # limit = 3
]
mode = """
limit = 4
"""
limit = 5
related = { limit = 6, full = true }

[graph.show]
level = "local"
'''


def _lines(folder):
    found = find_settings(folder)
    return {".".join(key): setting.line for key, setting in found.settings.items()}


def test_every_value_has_the_line_of_its_key(tmp_path):
    (tmp_path / "outcrop.toml").write_text(FILE)
    assert _lines(tmp_path) == {
        "embedder": 2,
        "index.max-tokens": 3,
        "search": 5,
        "search.kind": 6,
        "search.mode": 9,
        "search.limit": 12,
        "search.related.limit": 13,
        "search.related.full": 13,
        "graph.show": 15,
        "graph.show.level": 16,
    }


def test_a_table_of_pyproject_is_read_with_its_lines(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'x'\n\n[tool.outcrop.search]\nlimit = 3\n[[other]]\nlimit = 9\n"
    )
    assert _lines(tmp_path) == {"search": 4, "search.limit": 5}


def test_a_pyproject_without_the_table_is_passed_over(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'outcrop-user'\n")
    (tmp_path / "sub").mkdir()
    assert find_settings(tmp_path / "sub") is None


def test_the_nearest_file_counts_and_outcrop_toml_before_pyproject(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "outcrop.toml").write_text("embedder = 'outer'\n")
    (tmp_path / "pyproject.toml").write_text("[tool.outcrop]\nembedder = 'other'\n")
    assert read_embedder(inner) == "outer"
    (inner / "outcrop.toml").write_text("embedder = 'inner'\n")
    assert read_embedder(inner) == "inner"


def test_a_file_outside_the_repository_is_not_read(tmp_path):
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (tmp_path / "outcrop.toml").write_text("embedder = 'outer'\n")
    assert find_settings(repository) is None


def test_a_file_that_is_not_toml_is_refused_with_its_line(tmp_path):
    (tmp_path / "outcrop.toml").write_text("embedder = 'local'\nlimit = \n")
    with pytest.raises(ConfigError, match=r"outcrop\.toml: not valid TOML: .*line 2"):
        find_settings(tmp_path)


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(tmp_path):
    (tmp_path / "outcrop.toml").write_bytes(b"a = 1\nb = '\xe9'\n")
    with pytest.raises(ConfigError, match=r"outcrop\.toml:2: not UTF-8"):
        find_settings(tmp_path)


@pytest.mark.parametrize("name", ["outcrop.toml", "pyproject.toml"])
@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
def test_a_file_that_has_no_end_is_refused(tmp_path, name, kind):
    file = tmp_path / name
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        with file.open("wb") as sparse:
            sparse.truncate(MAX_BYTES + 1)
    reason = "file too large" if kind == "huge" else "not a regular file"
    with pytest.raises(ConfigError, match=rf"{name}: {reason}"):
        find_settings(tmp_path)


@pytest.mark.parametrize("text", [f"a = {'[' * 100_000}", f"{'a.' * 10_000}a = 1"])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path, text):
    (tmp_path / "outcrop.toml").write_text(text)
    with pytest.raises(ConfigError, match="not valid TOML: nested too deeply"):
        find_settings(tmp_path)


def test_values_of_many_lines_are_located_in_linear_time(tmp_path):
    (tmp_path / "outcrop.toml").write_text(
        "a = [\n1, 2]\n" + "b = [" + "1,\n" * 20_000 + "]\n"
    )
    started = time.process_time()
    assert _lines(tmp_path) == {"a": 1, "b": 3}
    assert time.process_time() - started < 2


def test_an_index_takes_its_settings_from_the_file(tmp_path):
    (tmp_path / "outcrop.toml").write_text(
        "[index]\nmax-tokens = 90\nmax-file-size = 5000\nworkers = 1\n"
    )
    config = read_config(tmp_path)
    assert (config.max_tokens, config.max_file_bytes, config.workers) == (90, 5000, 1)


def test_an_invalid_value_of_an_index_is_refused_with_its_line(tmp_path):
    (tmp_path / "outcrop.toml").write_text("[index]\nmax-tokens = 1\n")
    with pytest.raises(ConfigError, match=r"outcrop\.toml:2: max_tokens is 1"):
        read_config(tmp_path)


def test_an_embedder_that_is_not_a_string_is_refused_with_its_line(tmp_path):
    (tmp_path / "outcrop.toml").write_text("\nembedder = 3\n")
    with pytest.raises(ConfigError, match=r"outcrop\.toml:2: embedder is 3"):
        read_embedder(tmp_path)
