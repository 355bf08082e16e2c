"""Builds the modules in C, where there is a compiler for them.

Without a compiler there is a warning, and a wheel of pure Python that does the same,
more slowly. `python hatch_build.py` builds them for an editable install again.
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
# The folder in `native` with the source of each module.
SOURCES = {
    "outcrop.codegraph._native": "codegraph",
    "outcrop.markdown._native": "markdown",
    "outcrop.providers._native": "reranker",
    "outcrop.text._native": "text",
}
# Loops over numbers become vectors, and a product and a sum stay two operations, so that
# the results are those of NumPy on every machine.
_EXACT = ["-O3", "-ffp-contract=off"]
FLAGS = {"reranker": _EXACT, "text": _EXACT}


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg] # of no use here
    """Adds the modules to a wheel, or to the source tree for an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the modules before the files of a wheel are collected."""
        if self.target_name != "wheel":
            return
        self._folder = tempfile.TemporaryDirectory(prefix="outcrop-native-")
        make = build_in_place if version == "editable" else build
        built = make(Path(self._folder.name))
        if not built:
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"{ABI_TAG}-{_platform()}"
        if version != "editable":
            for module, file in built.items():
                inside = "/".join([*module.split(".")[:-1], file.name])
                build_data["force_include"][str(file)] = inside


def build(folder: Path) -> dict[str, Path]:
    """Compile the modules; return the file of each, or none with a warning."""
    reason = _why_not()
    if not reason:
        try:
            return _compile(folder)
        except Exception as error:  # noqa: BLE001 - a compiler fails in many ways
            reason = f"it could not be compiled: {error}"
    sys.stderr.write(
        f"warning: Outcrop is built without its modules in C ({reason}); "
        "results are the same, but chunking, indexing and search take longer\n"
    )
    return {}


def build_in_place(folder: Path) -> dict[str, Path]:
    """Compile the modules into the source tree; without success there are none."""
    built = build(folder)
    return {
        name: placed
        for name in SOURCES
        if (placed := _place(name, built.get(name))) is not None
    }


def _place(module: str, built: Path | None) -> Path | None:
    """Put a module where it is imported from, in place of an earlier one."""
    target = ROOT / "src" / Path(*module.split(".")[:-1])
    for stale in target.glob("_native.*"):
        if stale.suffix in {".so", ".pyd"} and (not built or stale.name != built.name):
            stale.unlink()
    if built is None:
        return None
    # In one step: another process may be loading the old one, or placing its own.
    moved = target / f"{built.name}.{os.getpid()}"
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


def _compile(folder: Path) -> dict[str, Path]:
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    extensions = [
        Extension(
            name,
            _sources(source),
            py_limited_api=True,
            depends=_sources(source, "*.h"),
            extra_compile_args=FLAGS.get(source, []),
            # It needs vectors of GCC or Clang; the others are built without it.
            optional=source == "reranker",
        )
        for name, source in SOURCES.items()
    ]
    command = build_ext(Distribution({"ext_modules": extensions}))
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
    command.ensure_finalized()
    command.run()
    files = {name: Path(command.get_ext_fullpath(name)) for name in SOURCES}
    return {name: file for name, file in files.items() if file.exists()}


def _sources(source: str, pattern: str = "*.c") -> list[str]:
    return sorted(str(path) for path in (ROOT / "native" / source).glob(pattern))


def _platform() -> str:
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="outcrop-native-") as name:
        sys.exit(not build_in_place(Path(name)))
