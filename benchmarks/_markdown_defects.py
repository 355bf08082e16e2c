"""Counting defects with a checker that is no part of this project.

The checker is a script that knows nothing of the tools: it reads what each of them
made of each file, places it in the source by its text and counts what is wrong. Only
its interface is relied on: `python checker.py FOLDER RUN.LIMIT …` writes `defects.json`
into the current folder.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _markdown_measure import Site
    from _markdown_tools import Tool

Defects = dict[tuple[str, int], dict[str, Any]]

# What adds up to the one number of the summary. Tiny chunks are a matter of taste.
COUNTED = (
    "fence_split_fit",
    "fence_split_over",
    "fence_marker_cut",
    "unbalanced",
    "table_split_fit",
    "table_split_over",
    "rows_no_header",
    "dangling_any",
    "over_unjustified",
    "off_wrong",
    "line_wrong",
    "path_wrong",
    "crashes",
)


def count_defects(
    site: Site,
    tools: Sequence[Tool],
    folder: Path,
    limits: Sequence[int],
    checker: Path,
) -> Defects:
    """Run the tools over a folder and have the checker judge what they made."""
    with TemporaryDirectory(prefix="outcrop-defects-") as scratch:
        runs: dict[str, tuple[str, int]] = {}
        inside: dict[str, int] = {}
        for tool in tools:
            if tool.describe is None:
                continue
            for limit in limits:
                site.say(f"defects at {limit}: {tool.name}")
                run = Path(scratch) / f"{tool.name}.{limit}"
                with site.start(tool) as worker:
                    answer = worker.ask(
                        "records", folder=str(folder), limit=limit, out=str(run)
                    )
                inside[run.name] = int(answer["inside_lines"])
                runs[run.name] = (tool.name, limit)
        site.say("defects: counting")
        subprocess.run(
            [str(site.python), str(checker.resolve()), str(folder.resolve()), *runs],
            cwd=scratch,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        found = json.loads((Path(scratch) / "defects.json").read_text("utf-8"))
    return {key: _judge_lines(found[run], inside[run]) for run, key in runs.items()}


def _judge_lines(found: dict[str, Any], inside: int) -> dict[str, Any]:
    """Tell wrong lines from lines the checker cannot judge.

    It compares a chunk with the whole of the lines it names, so one that starts or ends
    inside a line never agrees, however right its lines are.
    """
    return found | {"line_wrong": found["line_wrong"] - inside, "line_inside": inside}


def total(found: dict[str, Any]) -> int:
    """All that is wrong, as one number."""
    return sum(int(found[key]) for key in COUNTED)
