"""The bundled embedder."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers import Embedder, local_embedder, open_embedder
from outcrop.providers.local_embedder import LocalEmbedder

np = pytest.importorskip("numpy")
pytest.importorskip("tokenizers")


@pytest.fixture
def nothing_loaded():
    local_embedder._load_table.cache_clear()
    yield
    local_embedder._load_table.cache_clear()


def cosine(first, second):
    vectors = LocalEmbedder().embed([first, second])
    return float(vectors[0] @ vectors[1])


def test_it_is_an_embedder_and_the_default_one():
    assert isinstance(LocalEmbedder(), Embedder)
    assert isinstance(open_embedder(), LocalEmbedder)
    assert isinstance(open_embedder(LocalEmbedder().name), LocalEmbedder)
    assert LocalEmbedder.dimension == 256


def test_vectors_are_rows_of_unit_length():
    vectors = LocalEmbedder().embed(
        ["one", "два", "三つ目の文", "x = [1, 2]\n", "👍🏽"]
    )
    assert vectors.shape == (5, 256)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows():
    assert LocalEmbedder().embed([]).shape == (0, 256)


@settings(deadline=None)
@given(st.lists(st.text(alphabet=st.characters(), max_size=30), max_size=6))
def test_every_text_has_a_finite_vector_of_its_own(texts):
    together = LocalEmbedder().embed(texts)
    assert np.isfinite(together).all()
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(LocalEmbedder().embed([text])[0], vector)


def test_texts_without_a_word_share_a_vector():
    vectors = LocalEmbedder().embed(["", "---", "\ud800", "📎"])
    assert all(np.array_equal(vectors[0], vector) for vector in vectors)
    assert abs(cosine("---", "How do I install the package?")) < 0.3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("read_http_body", "readHTTPBody"),
        ("Über uns", "über_uns"),
        ("a\ud800b", "a b"),
        ("ﾃﾞｰﾀ", "データ"),
    ],
)
def test_case_and_separators_do_not_count(first, second):
    assert cosine(first, second) > 0.999


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "How do I install the package?",
            "Installation of the library with pip",
            "Birds fly south in winter",
        ),
        (
            "parse a date from a string",
            "def read_date(text):\n    return datetime.strptime(text, FORMAT)",
            "def draw_circle(canvas, radius):\n    canvas.arc(0, 0, radius)",
        ),
    ],
)
def test_an_answer_is_closer_than_another_text(question, answer, other):
    assert cosine(question, answer) > cosine(question, other) + 0.1


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("open the file", "Datei öffnen", "Passwort ändern"),
        ("open the file", "abrir el archivo", "cambiar la contraseña"),
        ("open the file", "ouvrir le fichier", "changer le mot de passe"),
        ("open the file", "abrir o arquivo", "alterar a senha"),
        ("open the file", "открыть файл", "изменить пароль"),
        ("open the file", "ファイルを開く", "パスワードを変更する"),
        ("open the file", "打开文件", "更改密码"),
        ("open the file", "파일 열기", "비밀번호 변경"),
    ],
)
def test_a_translation_is_closer_than_another_text(question, answer, other):
    assert cosine(question, answer) > cosine(question, other) + 0.1


def test_a_token_counts_as_the_square_root_of_its_occurrences():
    one, other = LocalEmbedder().embed(["alpha", "beta"])
    table = local_embedder._load_table()
    lengths = [
        np.linalg.norm(
            sum(
                table.scales[token] * table.rows[token].astype(np.float32)
                for token in table.tokens.of(word)
            )
        )
        for word in ("alpha", "beta")
    ]
    expected = one * lengths[0] * 2 + other * lengths[1]
    expected /= np.linalg.norm(expected)
    found = LocalEmbedder().embed(["alpha beta alpha alpha alpha"])[0]
    assert np.allclose(found, expected, atol=1e-5)


def test_nothing_of_a_long_text_is_cut_off():
    """Of more different tokens than are summed at once."""
    half = " ".join(f"{n} {n * 7919}" for n in range(30_000))
    assert cosine(half, half + half) > 0.999
    assert cosine(half, half + "суп с грибами " * 9000) < 0.999


def test_vectors_are_the_same_in_another_process():
    code = (
        "from outcrop.providers.local_embedder import LocalEmbedder;"
        "print(LocalEmbedder().embed(['тест', 'test']).tobytes().hex())"
    )
    command = [sys.executable, "-c", code]
    other = subprocess.run(command, capture_output=True, text=True, check=True)
    here = LocalEmbedder().embed(["тест", "test"]).tobytes().hex()
    assert here == other.stdout.strip()


MEMORY = """
from resource import RUSAGE_SELF, getrusage
from outcrop.providers.local_embedder import LocalEmbedder

embedder = LocalEmbedder()

def embed(first):
    embedder.embed([f"{n} words of text {n * 7919}" * 7 for n in range(first, first + 500)])
    return getrusage(RUSAGE_SELF).ru_maxrss // 1024

before = embed(0)
for first in range(500, 8000, 500):
    after = embed(first)
print(after - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="sizes are in other units there")
def test_texts_are_not_kept():
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 25


def test_importing_it_loads_nothing_heavy():
    code = (
        "import sys; from outcrop.providers import open_embedder; open_embedder();"
        "import outcrop.sections;"
        "heavy = {'numpy', 'tokenizers', 'safetensors', 'wordllama', 'openai',"
        " 'pyarrow', 'lancedb', 'splintr', 'stamina'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_bundled_files_are_small():
    files = Path(local_embedder.__file__).with_name("weights").iterdir()
    assert sum(file.stat().st_size for file in files) < 20 * 2**20


@pytest.mark.usefixtures("nothing_loaded")
def test_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"outcrop\[embed\]"):
        LocalEmbedder().embed(["text"])


@pytest.mark.usefixtures("nothing_loaded")
def test_missing_files_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(local_embedder, "_FOLDER", tmp_path)
    with pytest.raises(EmbeddingError, match=r"cannot be read.*install outcrop again"):
        LocalEmbedder().embed(["text"])
