"""The paths of Rust modules."""

from __future__ import annotations

import tomllib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_ROOT_FILES = frozenset({"lib", "main", "mod"})


def module_paths(paths: Sequence[str], root: Path) -> dict[str, str]:
    """Return the module path of each file: crate, then folders, then file.

    Without a `Cargo.toml` the crate is called `crate`, and starts where the root
    is. Each file of `tests`, `examples` and `benches` is a crate of its own.
    """
    crates: dict[str, str | None] = {}
    return {path: _module_path(PurePosixPath(path), root, crates) for path in paths}


def _module_path(path: PurePosixPath, root: Path, crates: dict[str, str | None]) -> str:
    for above in path.parents:
        key = str(above)
        if key not in crates:
            crates[key] = _crate_name(root / above)
        crate = crates[key]
        if crate is not None:
            return _inside(path.relative_to(above), crate)
    return _inside(path, "crate")


def _inside(path: PurePosixPath, crate: str) -> str:
    parts = list(path.parts[:-1])
    if parts[:1] == ["src"]:
        parts = parts[1:]
        if parts[:1] == ["bin"]:
            return "::".join([path.stem if len(parts) == 1 else parts[1]])
    elif parts[:1] and parts[0] in {"tests", "examples", "benches"}:
        crate, parts = parts[0], parts[1:]
    if path.stem not in _ROOT_FILES:
        parts.append(path.stem)
    return "::".join([crate, *parts])


def _crate_name(folder: Path) -> str | None:
    try:
        manifest = tomllib.loads((folder / "Cargo.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    package = manifest.get("package")
    name = package.get("name") if isinstance(package, dict) else None
    return str(name).replace("-", "_") if name else None
