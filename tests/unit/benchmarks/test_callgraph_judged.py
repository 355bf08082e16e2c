"""The judgements behind the published precision of call edges are whole."""

from __future__ import annotations

import csv
from pathlib import Path

JUDGED = Path(__file__).parents[3] / "benchmarks" / "callgraph_judged.tsv"


def test_each_judged_edge_has_a_verdict_a_place_and_a_reason():
    with JUDGED.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))

    assert len(rows) == len({(r["package"], r["src"], r["dst"]) for r in rows}) == 200
    for row in rows:
        assert row["verdict"] in {"true", "false"}
        assert row["resolution"] in {"exact", "flow", "heuristic"}
        assert row["place"].rpartition(":")[2].isdecimal()
        assert row["why"]
