"""Which packages are held out, to choose settings by."""

from __future__ import annotations

from hashlib import blake2b

# With messages in all languages, or prose, and not learned from.
_NAMED = ("thonny", "jupyterlab-language-pack", "keystone", "celery", "etcd", "sudo")
_ONE_OF, _CHOSEN = 40, 3


def is_held_out(package: str) -> bool:
    """Return whether a package is for validation only."""
    if package.startswith(_NAMED):
        return True
    digest = blake2b(package.encode(), digest_size=4).digest()
    return int.from_bytes(digest) % _ONE_OF == _CHOSEN
