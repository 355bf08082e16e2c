"""Names of files that usually hold passwords, keys and tokens.

Indexed text is visible to everyone who can search, including agents. These files are
skipped by default. Examples, such as `.env.example`, hold no secrets.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from outcrop.indexing.files.wildmatch import name_regex

# In lower case, as shells match names.
SECRET_NAMES = (
    # settings of an environment
    ".env*", "*.env",
    # passwords of programs
    ".dockercfg", ".git-credentials", ".htpasswd", ".my.cnf", ".netrc", "_netrc",
    ".npmrc", ".pgpass", ".pypirc", ".s3cfg", ".vault-token", ".vault_pass*",
    # keys and where they are kept
    "*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.pem", "*.pfx", "*.ppk",
    "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_rsa*",
    # accounts of services
    "client_secret*.json", "credentials*.ini", "credentials*.json",
    "credentials*.toml", "credentials*.y*ml", "*firebase-adminsdk*.json",
    "kubeconfig*", "service-account*.json", "service_account*.json",
    # files that say so
    "secret*.ini", "secret*.json", "secret*.toml", "secret*.txt", "secret*.y*ml",
    "*.secret", "*.secrets", "*.tfvars", "*.tfvars.json",
)  # fmt: skip
_EXAMPLE_PARTS = frozenset({"dist", "example", "sample", "template"})

_any_secret = re.compile("|".join(filter(None, map(name_regex, SECRET_NAMES))))


def may_be_secret(name: str) -> bool:
    """Whether a file of this name usually holds a secret."""
    lower = name.lower()
    is_example = not _EXAMPLE_PARTS.isdisjoint(lower.split("."))
    return not is_example and _any_secret.fullmatch(lower) is not None


def named_secret(path: Path) -> bool:
    """Whether there is a file at a path that usually holds a secret."""
    target = Path(os.path.realpath(path))
    is_secret = may_be_secret(path.name) or may_be_secret(target.name)
    return is_secret and os.path.isfile(target)  # noqa: PTH113 - pathlib's fails for odd names
