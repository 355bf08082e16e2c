"""What holds for every embedder that works without a network."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.providers import Embedder, open_embedder
from outcrop.providers.embedder import is_local
from outcrop.providers.registry import BUNDLED, is_bundled

np = pytest.importorskip("numpy", reason="needs the extra embed")
pytest.importorskip("tokenizers", reason="needs the extra embed")
pytest.importorskip("wordllama", reason="needs the extra embed")

pytestmark = pytest.mark.parametrize("name", BUNDLED)


def run(code: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter, in which a warning is an error."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=check,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )


def test_it_is_known_by_the_name_it_gives_itself(name):
    embedder = open_embedder(name)
    assert isinstance(embedder, Embedder)
    assert embedder.name == BUNDLED[name][0], "give its name in BUNDLED"
    assert type(open_embedder(embedder.name)) is type(embedder)
    assert is_bundled(embedder)
    assert is_local(embedder)


def test_vectors_are_rows_of_unit_length(name):
    embedder = open_embedder(name)
    vectors = embedder.embed(["one", "два", "三つ目の文", "x = [1, 2]\n", "👍🏽"])
    assert vectors.shape == (5, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows(name):
    embedder = open_embedder(name)
    assert embedder.embed([]).shape == (0, embedder.dimension)


@settings(deadline=None)
@given(texts=st.lists(st.text(alphabet=st.characters(), max_size=30), max_size=6))
def test_the_vector_of_a_text_does_not_depend_on_the_others(name, texts):
    embedder = open_embedder(name)
    together = embedder.embed(texts)
    assert np.isfinite(together).all()
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed([text])[0], vector)


def test_vectors_are_the_same_in_another_process(name):
    code = (
        "from outcrop.providers import open_embedder;"
        f"print(open_embedder({name!r}).embed(['тест', 'test']).tobytes().hex())"
    )
    here = open_embedder(name).embed(["тест", "test"]).tobytes().hex()
    assert run(code).stdout.strip() == here


MEMORY = """
from resource import RUSAGE_SELF, getrusage
from outcrop.providers import open_embedder

embedder = open_embedder(NAME)

def embed(first):
    embedder.embed([f"{n} words of text {n * 7919}" * 7 for n in range(first, first + 500)])
    return getrusage(RUSAGE_SELF).ru_maxrss // 1024

before = embed(0)
for first in range(500, 8000, 500):
    after = embed(first)
print(after - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="sizes are in other units there")
def test_texts_are_not_kept(name):
    assert int(run(MEMORY.replace("NAME", repr(name))).stdout) < 25


def test_opening_it_loads_nothing_heavy(name):
    done = run(
        f"import sys; from outcrop.providers import open_embedder; open_embedder({name!r});"
        "import outcrop.sections;"
        "heavy = {'numpy', 'tokenizers', 'safetensors', 'wordllama', 'openai',"
        " 'pyarrow', 'lancedb', 'splintr'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_embedding_does_not_configure_logging(name):
    code = (
        "import logging; from outcrop.providers import open_embedder;"
        f"open_embedder({name!r}).embed(['x']);"
        "raise SystemExit(len(logging.root.handlers))"
    )
    assert run(code, check=False).returncode == 0
