"""Source that was cut or doubled anywhere still gives facts, and a graph."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.codegraph import build
from outcrop.codegraph.languages import language_of

CASES = Path(__file__).parents[1] / "integration" / "codegraph" / "cases"
FILES = sorted(path for path in CASES.rglob("*") if language_of(path.name))


@st.composite
def damaged(draw):
    """The content of a file with pieces taken out or put in twice."""
    path = draw(st.sampled_from(FILES))
    raw = path.read_bytes()
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(len(raw), start + 40)))
        kept = raw[start:end] * draw(st.sampled_from([0, 2, 3]))
        raw = raw[:start] + kept + raw[end:]
    return path.name, raw


@settings(max_examples=60, deadline=None)
@given(st.lists(damaged(), min_size=1, max_size=4))
def test_damaged_source_is_read_as_far_as_it_goes(files):
    with TemporaryDirectory() as folder:
        for number, (name, raw) in enumerate(files):
            Path(folder, f"f{number}_{name}").write_bytes(raw)

        graph = build(folder, workers=1)

        binary = sum(b"\0" in raw for _, raw in files)
        assert graph.report.parsed == len(files) - binary
        ids = {node.id for node in graph.nodes}
        assert len(ids) == len(graph.nodes)
        assert all(edge.external or edge.dst in ids for edge in graph.edges)
        assert all(edge.src in ids for edge in graph.edges)
