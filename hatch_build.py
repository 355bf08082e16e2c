"""Builds the block scanner in C, where there is a compiler for it.

Without a compiler there is a warning, and a wheel of pure Python that does the same,
more slowly. `python hatch_build.py` builds the scanner for an editable install again.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
# One file serves every Python from the oldest that is supported: the stable ABI.
ABI_TAG = "cp311-abi3"
MODULE = "outcrop.markdown._native"


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg] # of no use here
    """Adds the scanner to a wheel, or puts it beside its module for an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the scanner before the files of a wheel are collected."""
        if self.target_name != "wheel":
            return
        self._folder = tempfile.TemporaryDirectory(prefix="outcrop-native-")
        make = build_in_place if version == "editable" else build
        built = make(Path(self._folder.name))
        if built is None:
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"{ABI_TAG}-{_platform()}"
        if version != "editable":
            inside = "/".join([*MODULE.split(".")[:-1], built.name])
            build_data["force_include"][str(built)] = inside


def build(folder: Path) -> Path | None:
    """Compile the scanner; return its file, or None with a warning."""
    reason = _why_not()
    if not reason:
        try:
            return _compile(folder)
        except Exception as error:  # noqa: BLE001 - a compiler fails in many ways
            reason = f"it could not be compiled: {error}"
    sys.stderr.write(
        f"warning: Outcrop is built without its scanner in C ({reason}); "
        "chunks are the same, cutting Markdown takes longer\n"
    )
    return None


def build_in_place(folder: Path) -> Path | None:
    """Compile the scanner into the source tree; without success there is none."""
    target = ROOT / "src" / Path(*MODULE.split(".")[:-1])
    built = build(folder)
    for stale in target.glob("_native.*"):
        if stale.suffix in {".so", ".pyd"} and (not built or stale.name != built.name):
            stale.unlink()
    if built is None:
        return None
    # In one step: another process may be loading the old one.
    moved = target / f"{built.name}.new"
    moved.write_bytes(built.read_bytes())
    return moved.replace(target / built.name)


def _why_not() -> str:
    if os.environ.get("OUTCROP_PURE", "") not in {"", "0"}:
        return "OUTCROP_PURE is set"
    if sys.implementation.name != "cpython":
        return f"it is for CPython, not for {sys.implementation.name}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "this Python has no stable ABI"
    return ""


def _compile(folder: Path) -> Path:
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    sources = sorted(str(path) for path in (ROOT / "native").glob("*.c"))
    extension = Extension(MODULE, sources, py_limited_api=True)
    command = build_ext(Distribution({"ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(MODULE))


def _platform() -> str:
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="outcrop-native-") as name:
        sys.exit(build_in_place(Path(name)) is None)
