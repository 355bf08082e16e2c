"""Which names are those of secrets."""

from __future__ import annotations

import pytest

from outcrop.indexing.files.ignore import may_be_secret


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".env.local", ".env.ini", ".envrc", "prod.env", "credentials.json",
        "credentials-prod.json", "secrets.yaml", "secrets.yml", "Secret.YAML",
        "server.pem", "tls.key", "id_rsa", "id_rsa.pub", "id_ed25519", ".npmrc",
        ".pypirc", ".netrc", "a.p12", "a.pfx", "a.keystore", "a.jks",
        "service-account-7.json", ".htpasswd", "client_secret_1.json", "secrets.toml",
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
    ],
)  # fmt: skip
def test_other_names(name):
    assert not may_be_secret(name)
