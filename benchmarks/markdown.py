"""Outcrop and other Markdown chunkers side by side: speed, growth, memory, defects.

    python benchmarks/markdown.py [FOLDER] [--only PART] [--write docs/benchmarks.md]
    python benchmarks/markdown.py --profile

FOLDER holds Markdown. Every tool runs in a process of its own; time is CPU time, the
best of three interleaved rounds. `make bench-markdown` installs the peers into an
environment of their own and runs this.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

from _machine import describe_machine
from _markdown_defects import count_defects
from _markdown_measure import (
    LARGEST,
    Site,
    find_versions,
    measure_shapes,
    measure_speed,
)
from _markdown_profile import profile, render_profile
from _markdown_report import Results, insert, render
from _markdown_shapes import FACTORS, HOSTILE, MAIN
from _markdown_tools import TOOLS

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("speed", "growth", "memory", "defects", "hostile")

_CORPUS = ROOT / "../shared/corpus/markdown"
_CHECKER = ROOT / "../shared/checks/markdown/checker.py"
_PEER_PYTHON = ROOT / ".venv-bench/bin/python"


def read_options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=_CORPUS if _CORPUS.is_dir() else ROOT / "docs",
        help="Markdown to measure on; the project's own documents by default",
    )
    parser.add_argument("--only", choices=PARTS, action="append", metavar="PART")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--limits", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--seconds",
        type=float,
        default=30,
        help="the most CPU time one document may take",
    )
    parser.add_argument("--peer-python", type=Path, default=_PEER_PYTHON)
    parser.add_argument(
        "--checker", type=Path, default=_CHECKER, help="the script that counts defects"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE")
    parser.add_argument(
        "--profile", action="store_true", help="show the share of each stage instead"
    )
    options = parser.parse_args(arguments)
    if not any(options.folder.rglob("*.md")):
        parser.error(f"there is no Markdown in {options.folder}")
    if options.write and options.only:
        parser.error("--write needs all parts; leave --only out")
    options.parts = set(options.only or PARTS)
    if not options.checker.exists():
        options.parts.discard("defects")
    return options


def describe_run(options: argparse.Namespace, versions: dict[str, str]) -> list[str]:
    files = [path.stat().st_size for path in options.folder.rglob("*.md")]
    packages = {TOOLS[name].package: found for name, found in versions.items()}
    named = ", ".join(f"{package} {found}" for package, found in packages.items())
    command = shlex.join(["python", "benchmarks/markdown.py", *sys.argv[1:]])
    return [
        f"Command: `{command}`",
        f"Date: {datetime.now(UTC).date().isoformat()}",
        f"Machine: {describe_machine()}",
        f"Versions: {named}",
        f"Corpus: {len(files)} files, {sum(files) / 1e6:.1f} MB",
    ]


def measure(options: argparse.Namespace) -> Results:
    site = Site(
        python=Path(sys.executable),
        peer_python=options.peer_python,
        rounds=options.rounds,
        seconds=options.seconds,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if not options.peer_python.exists():
        site.say(f"there are no peers: {options.peer_python} does not exist")
        options.tools = [name for name in options.tools if TOOLS[name].is_outcrop]
    versions = find_versions(site, [TOOLS[name] for name in options.tools])
    found = [TOOLS[name] for name in versions]
    tools = [tool for tool in found if not tool.only_hostile]
    names = [tool.name for tool in tools]
    results = Results(names, options.limits, describe_run(options, versions))
    parts, limits = options.parts, options.limits
    if "speed" in parts:
        results.speeds = measure_speed(site, tools, options.folder, limits)
    if parts & {"growth", "memory"}:
        factors = FACTORS if "growth" in parts else (LARGEST,)
        results.samples = measure_shapes(site, tools, MAIN, limits[0], factors)
    if "hostile" in parts:
        for shape in HOSTILE:
            own = [tool for tool in found if tool.name == shape.tool]
            results.hostile |= measure_shapes(site, own, [shape], limits[0])
    if "defects" in parts:
        results.defects = count_defects(
            site, tools, options.folder, limits, options.checker
        )
    return results


def show_profile(options: argparse.Namespace) -> None:
    size = sum(path.stat().st_size for path in options.folder.rglob("*.md"))
    for limit in options.limits:
        found = profile(options.folder, limit, options.rounds)
        print(f"At {limit} characters:\n\n{render_profile(found, size)}\n")


def main() -> None:
    options = read_options()
    if options.profile:
        show_profile(options)
        return
    section = render(measure(options))
    print(section)
    if options.write:
        page = options.write.read_text("utf-8") if options.write.exists() else ""
        options.write.write_text(insert(page, section), "utf-8")


if __name__ == "__main__":
    main()
