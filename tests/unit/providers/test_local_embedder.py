"""The bundled embedder."""

import sys

import pytest

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers import local_embedder, open_embedder
from outcrop.providers.local_embedder import LocalEmbedder

np = pytest.importorskip("numpy")
pytest.importorskip("numpy")


@pytest.fixture
def nothing_loaded():
    local_embedder.load_token_table.cache_clear()
    yield
    local_embedder.load_token_table.cache_clear()


def cosine(first, second):
    vectors = LocalEmbedder().embed([first, second])
    return float(vectors[0] @ vectors[1])


def test_it_is_the_default():
    assert isinstance(open_embedder(), LocalEmbedder)


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
    table = local_embedder.load_token_table()
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


def test_the_bundled_files_are_small():
    files = local_embedder.FOLDER.iterdir()
    assert sum(file.stat().st_size for file in files) < 20 * 2**20


@pytest.mark.usefixtures("nothing_loaded")
def test_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"outcrop\[embed\]"):
        LocalEmbedder().embed(["text"])


@pytest.mark.usefixtures("nothing_loaded")
def test_missing_files_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(local_embedder, "FOLDER", tmp_path)
    with pytest.raises(EmbeddingError, match=r"cannot be read.*install outcrop again"):
        LocalEmbedder().embed(["text"])


@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize("kept_bytes", [0, 40, 1000])
def test_damaged_files_are_named(monkeypatch, tmp_path, kept_bytes):
    for file in local_embedder.FOLDER.glob("*.npy"):
        (tmp_path / file.name).write_bytes(file.read_bytes()[:kept_bytes])
    monkeypatch.setattr(local_embedder, "FOLDER", tmp_path)
    with pytest.raises(EmbeddingError, match=r"cannot be read.*install outcrop again"):
        LocalEmbedder().embed(["text"])
