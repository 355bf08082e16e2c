"""Notebooks become Markdown whose places are cells."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.formats.document_text import MalformedError
from outcrop.indexing.documents.formats.notebook import MAX_OUTPUT_CHARS, read_notebook
from outcrop.indexing.documents.prepare import Task, prepare_bytes

CELLS = [
    {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Read the gauge."]},
    {
        "cell_type": "code",
        "source": "# not a heading\nprint('high')",
        "outputs": [
            {"output_type": "stream", "text": ["high\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "42"}},
            {"output_type": "display_data", "data": {"image/png": "aaaa"}},
            {"output_type": "error", "ename": "KeyError", "evalue": "'moon'"},
        ],
    },
    {"cell_type": "markdown", "source": "## Moon\n\nIt pulls."},
]


def notebook(cells, **metadata):
    return json.dumps({"nbformat": 4, "cells": cells, "metadata": metadata}).encode()


def prepare(data):
    task = Task(path="a.ipynb", file="a.ipynb", kind="notebook", modified_ns=1)
    return prepare_bytes(task, data, IndexConfig(max_tokens=60))


def test_cells_and_outputs_come_in_order():
    found = read_notebook(notebook(CELLS, language_info={"name": "julia"}))
    assert found.text == (
        "# Tides\n\nRead the gauge.\n\n"
        "```julia\n# not a heading\nprint('high')\n```\n\n"
        "```text\nhigh\n42\nKeyError: 'moon'\n```\n\n"
        "## Moon\n\nIt pulls.\n"
    )
    assert [found.place(line) for line in (1, 3, 5, 12, 16, 18)] == [1, 1, 2, 2, 3, 3]


def test_the_lines_of_a_chunk_are_cells():
    prepared = prepare(notebook(CELLS))
    leaves = [c for c in prepared.chunks if c.is_leaf]
    assert [(c.start_line, c.end_line) for c in leaves] == [(1, 2), (3, 3)]
    assert [c.section_path for c in leaves] == [("Tides",), ("Tides", "Moon")]
    assert prepared.document.title == "Tides"
    assert [s.section.start_line for s in prepared.sections] == [1, 3]


def test_a_long_output_is_shortened_and_a_fence_in_code_does_not_end_it():
    code = "x = '''\n```\n'''"
    cell = {"cell_type": "code", "source": code, "outputs": [{"text": "y" * 9_000}]}
    text = read_notebook(notebook([cell])).text
    assert f"````python\n{code}\n````\n" in text
    assert text.count("y") == MAX_OUTPUT_CHARS + "python".count("y")
    assert "…" in text


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"cells": 3}', b'{"worksheets": []}', b"[" * 100_000]
)
def test_a_malformed_notebook_is_one_named_problem(data):
    prepared = prepare(data)
    assert prepared.problem.startswith("not a notebook: ")
    assert prepared.document is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cell_type", "source", "outputs", "data", "text", "x"]),
            inner | st.sampled_from(["code", "markdown"]),
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.lists(_JSON, max_size=4), _JSON)
@settings(deadline=None)
def test_any_cells_are_prepared_or_refused(cells, metadata):
    data = json.dumps({"cells": cells, "metadata": metadata}).encode()
    try:
        found = read_notebook(data)
    except MalformedError:
        return
    assert len(found.places) >= found.text.count("\n")
    assert not prepare(data).problem
