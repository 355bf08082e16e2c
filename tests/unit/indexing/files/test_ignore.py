"""Rules of ignore files, and names of files that hold secrets."""

from __future__ import annotations

import os
import time

import pytest

from outcrop.indexing.files.ignore import IgnoreRules, may_be_secret, read_rule
from outcrop.regular_file import MAX_BYTES


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 12 + "*b", "a" * 32),
        ("*a" * 100 + "*b", "a" * 255),
        ("[a-z]*" * 100 + "[0-9]", "a" * 255),
        ("*?" * 100 + "b", "a" * 255),
        ("**/a/" * 50 + "b", "a/" * 2000 + "c"),
        ("**/*a*a*a*/" * 40 + "b", "aaaa/" * 800 + "c"),
    ],
)
def test_no_pattern_takes_long_to_match(pattern, path):
    rule = read_rule(pattern)
    started = time.process_time()
    assert not rule.matches(path)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "line", ["", "# a", "!", "/", "[", "a\\", "[a", "[[:nothing:]]"]
)
def test_a_line_that_can_match_nothing_is_no_rule(line):
    assert read_rule(line) is None


@pytest.mark.parametrize("kind", ["pipe", "device", "huge"])
def test_an_ignore_file_that_has_no_end_counts_as_empty(tmp_path, kind):
    (tmp_path / ".outcropignore").write_text("a.md\n")
    file = tmp_path / ".gitignore"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        with file.open("wb") as sparse:
            sparse.truncate(MAX_BYTES + 1)
    rules = IgnoreRules.below(tmp_path, None)
    assert rules.ignores(f"{tmp_path}/a.md", is_folder=False)


def test_two_stars_cross_folders_only_between_slashes(tmp_path):
    (tmp_path / ".gitignore").write_text("x/a**/b\n")
    rules = IgnoreRules.below(tmp_path, None)
    found = {
        path: rules.ignores(f"{tmp_path}/{path}", is_folder=False)
        for path in ("x/ab/b", "x/ab", "x/ab/c/b")
    }
    assert found == {"x/ab/b": True, "x/ab": False, "x/ab/c/b": False}


def test_rules_reach_down_through_any_number_of_folders(tmp_path):
    (tmp_path / ".gitignore").write_text("drop.md\n")
    rules = IgnoreRules.below(tmp_path, None)
    folder = tmp_path
    for _ in range(1500):
        rules = IgnoreRules.below(folder := folder / "a", rules)
    assert rules.ignores(f"{folder}/drop.md", is_folder=False)
    assert not rules.ignores(f"{folder}/keep.md", is_folder=False)


def test_a_folder_without_rules_has_those_of_the_folder_around_it(tmp_path):
    (tmp_path / ".gitignore").write_text("drop.md\n")
    (tmp_path / "in").mkdir()
    outer = IgnoreRules.below(tmp_path, None)
    assert IgnoreRules.below(tmp_path / "in", outer) is outer


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".env.local", ".env.ini", ".envrc", "prod.env", "credentials.json",
        "credentials-prod.json", "secrets.yaml", "secrets.yml", "Secret.YAML",
        "server.pem", "tls.key", "id_rsa", "id_rsa.pub", "id_ed25519", ".npmrc",
        ".pypirc", ".netrc", "a.p12", "a.pfx", "a.keystore", "a.jks",
        "service-account-7.json", ".htpasswd", "client_secret_1.json", "secrets.toml",
        "application_default_credentials.json", "aws-credentials.ini",
        "gcp-service-account.json", "prod.secrets.yaml", "App-Secrets.YML",
        "serviceAccountKey.json", "db-secret.yaml", "credentials.xml", "passwords.txt",
        "local.settings.json", "credential.json",
    ],
)  # fmt: skip
def test_names_of_secrets(name):
    assert may_be_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        ".env.example", ".env.sample", ".env.template", "secrets.example.yaml",
        "credentials.json.dist", "secrets.py", "credentials.md", "keys.md",
        "environment.md", "a.json", "keyboard.ts", "secret_names.py", "id.md",
        "passwords.md", "credentials.rst.txt", "settings.json", "nosecret.json",
        "nosecrets.yaml", "my-secrets.md", "aws.credentials.example.json",
    ],
)  # fmt: skip
def test_other_names(name):
    assert not may_be_secret(name)
